import { FakeClock } from "@toolweave/test-support/fake-clock";
import { describe, expect, test } from "vitest";
import type { ToolOutcome } from "@toolweave/core";
import { whilePersonAnswers } from "@toolweave/core/adapter";
import { call, executorFor, tool } from "../support/executor-for.ts";
import { readCode } from "../support/outcomes.ts";

const hour = 3_600_000;

/** A tool that works, asks a person for an hour, and works again, within a timeout of a second. */
function asks(workMs: number, isPerson = true): Promise<ToolOutcome> {
  const clock = new FakeClock();
  const answers = async (): Promise<string> => {
    await clock.advance(hour);
    return "yes";
  };
  const ask = tool("ask", async (_, ctx) => {
    await clock.advance(workMs);
    const answer = await (isPerson ? whilePersonAnswers(ctx, answers()) : answers());
    await clock.advance(workMs);
    return answer;
  });
  return executorFor([ask], { clock, timeoutMs: 1_000 }).execute(call("ask"));
}

describe("a tool that waits for a person's answer while it runs", () => {
  test("has its full timeout for its own work", async () => {
    expect(await asks(400)).toMatchObject({
      status: "completed",
      result: { content: [{ type: "text", text: "yes" }] },
    });
  });

  test("has no more than that", async () => {
    expect(readCode(await asks(600))).toBe("timeout");
  });

  test("times out if it does not report the wait", async () => {
    expect(readCode(await asks(400, false))).toBe("timeout");
  });

  test("receives the answer outside an executor, too", async () => {
    const ctx = { signal: new AbortController().signal };
    expect(await whilePersonAnswers(ctx, Promise.resolve("yes"))).toBe("yes");
  });
});
