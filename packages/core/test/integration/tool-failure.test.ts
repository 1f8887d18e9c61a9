import { expect, test } from "vitest";
import { ToolError, type FailedOutcome } from "../../src/index.ts";
import { toToolFailure } from "../../src/integration/index.ts";

const cause = new Error("secret");
const error = new ToolError("upstream", "It failed.", { cause, status: 503, body: { a: 1 } });

function failed(...texts: readonly string[]): FailedOutcome {
  const content = texts.map((text) => ({ type: "text" as const, text }));
  return { status: "failed", ok: false, result: { content, isError: true } as never, error };
}

test("a failure has the model's text as its message and as its string", () => {
  const failure = toToolFailure(failed("It failed.", "Try later."));
  expect(failure).toMatchObject({ code: "upstream", status: 503 });
  expect([failure.message, String(failure)]).toEqual(Array(2).fill("It failed.\nTry later."));
  expect(toToolFailure(failed()).message).toBe("It failed.");
  expect(ToolError.is(failure)).toBe(true);
});

test("a failure has the cause and the body only for a host that asks for them", () => {
  const closed = toToolFailure(failed("It failed."));
  expect([closed.cause, closed.body]).toEqual([undefined, undefined]);
  expect(toToolFailure(failed("It failed."), true)).toMatchObject({ cause, body: { a: 1 } });
  expect(toToolFailure(failed("Another text."), true).cause).toBe(error);
});

test("a result that is an error without a ToolError is execution_failed", () => {
  const { result } = failed("No such room.");
  expect(toToolFailure({ status: "completed", ok: false, result } as never)).toMatchObject({
    code: "execution_failed",
    message: "No such room.",
  });
});
