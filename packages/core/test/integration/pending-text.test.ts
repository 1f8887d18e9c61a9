import { expect, test } from "vitest";
import type { Interruption, InterruptionRequest } from "../../src/index.ts";
import { notApprovedText, waitingText } from "../../src/integration/index.ts";

function waiting(...requests: readonly object[]): Interruption {
  return {
    call: { id: "c1", name: "send", arguments: {} },
    requests: requests as readonly InterruptionRequest[],
  } as Interruption;
}

test("the text names everything that a call waits for, and the next step", () => {
  const interruption = waiting(
    { type: "approval", permission: { kind: "a", target: "b", summary: "Send\nit" } },
    { type: "result" },
    { type: "input", message: "How many?" },
  );
  expect(waitingText(interruption, "Wait.")).toBe(
    "send is not finished: it waits for approval: Send it; a result from the host; input: How many? Wait.",
  );
  expect(waitingText(interruption)).toMatch(/Do not call it again; continue without its result/);
});

test("the text is bounded, and has no invisible characters", () => {
  const long = waitingText(waiting({ type: "input", message: `\u202E${"x".repeat(10_000)}` }));
  expect(long.length).toBeLessThan(700);
  expect(long).toContain("\\u{202E}");
});

test("the text about a call without approval says how one that another process requested is resumed", () => {
  expect(notApprovedText("pay")).toContain(
    "(One that another process has requested may not be known here: its program continues the stored call with executor.resume.)",
  );
});

test("the text about a call without approval names it", () => {
  expect(notApprovedText("pay")).toMatch(/^pay was not run now: .* call pay again/);
});
