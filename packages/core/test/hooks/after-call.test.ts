import { settled } from "@toolweave/test-support/fake-clock";
import { describe, expect, test } from "vitest";
import { text, type Hook, type JsonObject } from "@toolweave/core";
import { call, executorFor, recorded, tool, listTypes } from "../support/executor-for.ts";
import { readCode, completed, failed, textFor } from "../support/outcomes.ts";

/** An executor with hooks whose tool records its arguments. */
function withHooks(hooks: readonly Hook[], answer: unknown = "answer") {
  const got: JsonObject[] = [];
  const executor = executorFor(
    tool("t", (args) => (got.push(args), answer as string), {
      input: { type: "object", properties: { n: { type: "number" } } },
    }),
    { hooks },
  );
  return { executor, got };
}

describe("a hook after the call", () => {
  test("receives the output, changes it, and the next hook receives the changed one", async () => {
    const seen: unknown[] = [];
    const { executor } = withHooks(
      [
        { afterCall: (_, result) => (seen.push(result), undefined) },
        { afterCall: async () => ({ content: [text("amended")], value: { redacted: true } }) },
        { afterCall: (_, result) => void seen.push(result) },
      ],
      { secret: 1 },
    );
    const { result } = completed(await executor.execute(call("t")));
    expect(result.content).toEqual([text("amended")]);
    expect(result.value).toEqual({ redacted: true });
    expect(seen).toEqual([
      { content: [text('{"secret":1}')], value: { secret: 1 }, isError: false },
      { content: [text("amended")], value: { redacted: true }, isError: false },
    ]);
  });

  test("may turn an answer into an error", async () => {
    const { executor } = withHooks([
      { afterCall: () => ({ content: [text("no")], isError: true }) },
    ]);
    const { result, error } = completed(await executor.execute(call("t")));
    expect([result.isError, error?.code, error?.message]).toEqual([true, "execution_failed", "no"]);
  });

  test("is not called for a call that failed or was refused", async () => {
    let asked = 0;
    const executor = executorFor(
      tool("t", () => {
        throw new Error("no");
      }),
      { hooks: [{ afterCall: () => void (asked += 1) }] },
    );
    failed(await executor.execute(call("t")));
    failed(await executor.execute(call("unknown")));
    expect(asked).toBe(0);
  });

  // TC21 wants the result kept and an event; but the failed hook may have been a redaction, so fail
  // closed.
  test("TC21 that throws fails the call: no unredacted output is returned, and the error says that the tool ran", async () => {
    const { executor } = withHooks(
      [{ afterCall: () => Promise.reject(new Error("redaction failed")) }],
      "the secret",
    );
    const events = recorded(executor);
    const outcome = await executor.execute(call("t"));
    expect(readCode(outcome)).toBe("internal");
    expect(textFor(outcome)).toBe(
      "t did run, but a check of the host failed on its answer: do not repeat the call before checking what it did.",
    );
    expect(JSON.stringify([outcome, events])).not.toContain("the secret");
    expect(listTypes(events).at(-1)).toBe("tool.failed");
  });

  test.each<[string, unknown]>([
    ["an empty object", {}],
    ["a text", "redacted"],
    ["a flag", true],
    ["null", null],
    ["an unknown field beside the content", { content: [], secret: 1 }],
    ["an invalid content", { content: ["text"] }],
  ])("that returns %s fails the call, and the answer is not returned", async (_, answer) => {
    for (const afterCall of [() => answer as never, async () => answer as never]) {
      const { executor } = withHooks([{ afterCall }], "the secret");
      const outcome = await executor.execute(call("t"));
      expect(failed(outcome).error).toMatchObject({ code: "internal", audience: "host" });
      expect(JSON.stringify(outcome)).not.toContain("the secret");
    }
  });

  test("has its value converted to JSON, like a tool's", async () => {
    const { executor } = withHooks([
      { afterCall: () => ({ content: [], value: new Map([["at", new Date(0)]]) as never }) },
    ]);
    const { result } = completed(await executor.execute(call("t")));
    expect(result.value).toEqual({ at: "1970-01-01T00:00:00.000Z" });
  });

  test("that is still running when the run is cancelled is not awaited", async () => {
    let finish: () => void = () => {};
    const asked: string[] = [];
    const { executor } = withHooks([
      { afterCall: () => new Promise<void>((resolve) => (finish = resolve)) },
      { afterCall: () => void asked.push("second") },
    ]);
    const run = executor.startRun();
    const outcome = run.execute(call("t"));
    await settled();
    run.cancel();
    expect(readCode(await outcome)).toBe("cancelled");
    finish();
    await settled();
    expect(asked).toEqual([]);
  });

  test("TC17 receives the arguments that the tool got, even if the tool has changed them", async () => {
    let seen: unknown;
    const executor = executorFor(
      tool("t", (args) => {
        const spoilt = args as Record<string, unknown>;
        spoilt["self"] = spoilt;
        spoilt["f"] = () => 1;
      }),
      { hooks: [{ afterCall: (call) => void (seen = call.arguments) }] },
    );
    completed(await executor.execute(call("t", { n: 1 })));
    expect(seen).toEqual({ n: 1 });
  });
});
