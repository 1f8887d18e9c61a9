import { expect, test } from "vitest";
import { PendingCalls, type PendingCall } from "../../src/executor/pending-calls.ts";

const pendingCall = (state: string): PendingCall =>
  ({ interruption: { id: state, state, expiresAt: 1000 } }) as PendingCall;

test("calls that wait for a person do not fill the memory, and an answered one makes room", () => {
  const pending = new PendingCalls();
  for (let index = 0; index < 10_000; index++) pending.add(pendingCall(`${index}`));
  expect(() => pending.add(pendingCall("more"))).toThrow(
    expect.objectContaining({ code: "limit_exceeded" }),
  );
  expect(pending.claim("7")?.interruption.id).toBe("7");
  pending.add(pendingCall("more"));
  expect(pending.peek("more")?.interruption.id).toBe("more");
});
