import { describe, expect, test } from "vitest";
import { itemStream, text } from "@toolweave/core";
import { call, executorFor, tool } from "../support/executor-for.ts";
import { completed } from "../support/outcomes.ts";

async function* generated(...items: readonly unknown[]) {
  yield* items;
}

async function* broken(...items: readonly unknown[]) {
  yield* items;
  throw new Error("the line is dead");
}

async function getResult(returned: () => unknown, largeOutputs = {}) {
  const executor = executorFor(
    tool("t", () => returned() as never),
    { largeOutputs },
  );
  return completed(await executor.execute(call("t")));
}

describe("a stream of items", () => {
  test.each<[string, readonly unknown[]]>([
    ["texts", ["a", "b"]],
    ["nothing", []],
    ["objects that look like content blocks", [{ type: "text", text: "a" }]],
    ["values of all kinds", [1, "a", null, { b: [] }, ""]],
  ])("of %s is a list of them", async (_what, items) => {
    const { result } = await getResult(() => itemStream(generated(...items)));
    expect(result).toMatchObject({ content: [text(JSON.stringify(items))], value: items });
    expect(result.details).toBeUndefined();
  });

  test("of bytes is a list of their text, and not binary content", async () => {
    const { result } = await getResult(() => itemStream(generated(Uint8Array.of(1, 2))));
    expect(Array.isArray(result.value)).toBe(true);
  });

  test("has details for the host, also if it is interrupted", async () => {
    const details = { status: 200 };
    const whole = await getResult(() => itemStream(generated("a"), details));
    expect(whole.result).toMatchObject({ isError: false, value: ["a"], details });
    const partial = await getResult(() => itemStream(broken("a", "b"), details));
    expect(partial).toMatchObject({
      error: { code: "execution_failed" },
      result: { isError: true, value: ["a", "b"], details },
    });
    expect(partial.result.content).toEqual([
      text("[the answer broke off: t failed: the line is dead]"),
      text('["a","b"]'),
    ]);
  });

  test("that is longer than the capture limit is not a value, and the result says so", async () => {
    const { result } = await getResult(
      () => itemStream(generated("a".repeat(60), "b".repeat(60)), { status: 200 }),
      { maxCapturedBytes: 50 },
    );
    expect(result.value).toBeUndefined();
    expect(result.details).toEqual({ status: 200 });
    expect(result.content.at(-1)).toEqual(
      text("[the output was longer than what is captured: the rest is lost]"),
    );
  });

  test("is read once, and ended if it is no longer needed", async () => {
    let ended = 0;
    const items: AsyncIterable<unknown> = {
      [Symbol.asyncIterator]: () => ({
        next: async () => ({ done: false, value: "a".repeat(60) }),
        return: async () => {
          ended += 1;
          return { done: true, value: undefined };
        },
      }),
    };
    await getResult(() => itemStream(items), { maxCapturedBytes: 50 });
    expect(ended).toBe(1);
  });
});
