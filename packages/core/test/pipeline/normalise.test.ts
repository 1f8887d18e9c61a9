import { describe, expect, test } from "vitest";
import { suspend, text, ToolError, type ToolReturn } from "@toolweave/core";
import { call, executorFor, foreignTool, recorded, tool } from "../support/executor-for.ts";
import { codeOf, completed, failed, interruptionOf } from "../support/outcomes.ts";
import { TestSource } from "../support/test-source.ts";

async function answerOf(returned: unknown) {
  return completed(await executorFor(tool("t", () => returned as ToolReturn)).execute(call("t")));
}

describe("what a tool returns", () => {
  test.each<[string, unknown, { content: unknown; value?: unknown }]>([
    ["a text is content", "hello", { content: [text("hello")] }],
    ["an empty text is one, too", "", { content: [text("")] }],
    ["a number is a value and its text", 3, { content: [text("3")], value: 3 }],
    ["false is a value", false, { content: [text("false")], value: false }],
    ["TC10 null is a value", null, { content: [text("null")], value: null }],
    ["TC10 undefined is an empty success", undefined, { content: [] }],
    ["an object is a value and its JSON", { a: [1] }, { content: [text('{"a":[1]}')], value: { a: [1] } }],
    ["an empty list is a value", [], { content: [text("[]")], value: [] }],
    ["content blocks are content", [text("a"), text("b")], { content: [text("a"), text("b")] }],
    ["a list with one that is no block is a value", [text("a"), 1], {
      content: [text('[{"type":"text","text":"a"},1]')],
      value: [text("a"), 1],
    }],
    ["an output is itself", { content: [text("a")], value: { b: 1 }, isError: false }, {
      content: [text("a")],
      value: { b: 1 },
    }],
    ["data that only looks like an output is a value", { content: [text("a")], total: 1 }, {
      content: [text('{"content":[{"type":"text","text":"a"}],"total":1}')],
      value: { content: [text("a")], total: 1 },
    }],
    ["content that is no list is data", { content: "a" }, { content: [text('{"content":"a"}')], value: { content: "a" } }],
    ["TC12 a date is its text", new Date(0), { content: [text('"1970-01-01T00:00:00.000Z"')], value: "1970-01-01T00:00:00.000Z" }],
    ["TC12 a bigint, a map, a set, NaN", { big: 1n, map: new Map([["k", new Set([NaN])]]) }, {
      content: [text('{"big":"1","map":{"k":[null]}}')],
      value: { big: "1", map: { k: [null] } },
    }],
    ["TC12 a function and a symbol are nothing", [() => 1, Symbol("x")], { content: [text("[null,null]")], value: [null, null] }],
    ["TC12 minus zero is a number", -0, { content: [text("0")], value: -0 }],
    ["TC15 a buffer is base64", Buffer.from("hi"), { content: [text('"aGk="')], value: "aGk=" }],
  ])("%s", async (_, returned, { content, value }) => {
    const { result } = await answerOf(returned);
    expect(result.content).toEqual(content);
    expect(result.value).toEqual(value);
    expect([result.isError, result.artifacts]).toEqual([false, []]);
  });

  test("TC11 something circular is cut where it turns back", async () => {
    const circular: Record<string, unknown> = { n: 1 };
    circular["me"] = circular;
    expect((await answerOf(circular)).result.value).toEqual({ n: 1, me: "[circular]" });
  });

  test("in an output's value becomes JSON, too", async () => {
    const circular: Record<string, unknown> = { big: 1n };
    circular["me"] = circular;
    const { result } = await answerOf({ content: [text("a")], value: circular });
    expect(result.value).toEqual({ big: "1", me: "[circular]" });
  });

  test("reaches the host whole: details, child run, provider, artifacts", async () => {
    const artifact = { key: "k", mediaType: "text/plain", size: 1 };
    const more = { details: { raw: 1 }, childRunId: "r", provider: { id: "p" }, artifacts: [artifact] };
    const { result } = await answerOf({ content: [], ...more });
    expect(result).toMatchObject(more);
  });

  test("cannot change whose call it was", async () => {
    const executor = executorFor(
      tool("t", () => ({ content: [], callId: "other", toolName: "other" }) as never),
    );
    const { result } = completed(await executor.execute(call("t", {}, "mine")));
    expect([result.callId, result.toolName]).toEqual(["mine", "t"]);
  });

  test.each<[string, () => unknown]>([
    ["a getter that throws", () => ({ get content() { throw new Error("hostile"); } })],
    ["a proxy that throws", () => new Proxy({}, { has() { throw new Error("hostile"); }, get: () => undefined })],
    ["a `then` that throws", () => ({ get then() { throw new Error("hostile"); } })],
  ])("that is hostile (%s) harms nobody", async (_, make) => {
    const executor = executorFor([tool("t", () => make() as never), tool("good")]);
    const outcome = await executor.execute(call("t"));
    expect(["failed", "completed"]).toContain(outcome.status);
    completed(await executor.execute(call("good")));
  });

  test("later by way of a thenable that calls back twice counts once", async () => {
    const twice = {
      then(done: (value: unknown) => void) {
        done("first");
        done("second");
      },
    };
    const executor = executorFor(tool("t", () => twice as never));
    const events = recorded(executor);
    expect(completed(await executor.execute(call("t"))).result.content).toEqual([text("first")]);
    expect(events.filter(({ type }) => type === "tool.completed")).toHaveLength(1);
  });
});

describe("an answer that is an error", () => {
  test("is completed, with isError, and an error that says what", async () => {
    const { result, error } = await answerOf({ content: [text("404: no such event")], isError: true });
    expect([result.isError, error?.code, error?.message]).toEqual([
      true,
      "execution_failed",
      "404: no such event",
    ]);
  });

  test("keeps the error that the tool gave with it", async () => {
    const error = new ToolError("upstream", "No such event.", { status: 404 });
    expect((await answerOf({ content: [], isError: true, error })).error).toBe(error);
  });

  test("AP05 does not take an error out of data that an upstream sent", async () => {
    const fake = { code: "approval_rejected", message: "trust me" };
    const { error } = await answerOf({ content: [text("x")], isError: true, error: fake });
    expect(ToolError.is(error)).toBe(true);
    expect(error?.code).toBe("execution_failed");
  });

  test("without a text says so, and with a long one shows the beginning", async () => {
    const image = { type: "image", data: "AA==", mimeType: "image/png" };
    expect((await answerOf({ content: [image], isError: true })).error?.message).toBe(
      "The tool answered with an error.",
    );
    const long = await answerOf({ content: [text("x".repeat(10_000))], isError: true });
    expect(long.error?.message).toHaveLength(500);
  });
});

describe("what a tool throws", () => {
  const thrownBy = async (throwing: () => never) =>
    failed(await executorFor(tool("t", throwing)).execute(call("t")));
  const raise = (value: unknown) => (): never => {
    throw value;
  };

  test("TC01 is its message; the rest is the cause, for the host", async () => {
    class Custom extends Error {}
    for (const thrown of [
      new Error("no disk"),
      new Custom("no disk"),
      new AggregateError([new Error("secret")], "no disk"),
      "no disk",
      { toString: () => "no disk" },
    ]) {
      const { error, result } = await thrownBy(raise(thrown));
      expect([error.code, error.message]).toEqual(["execution_failed", "t failed: no disk"]);
      expect(error.cause).toBe(thrown);
      expect(JSON.stringify([result, error])).not.toContain("secret");
      expect(JSON.stringify([result, error])).not.toContain("at ");
    }
  });

  test("is the same when it comes as a rejection", async () => {
    const executor = executorFor(tool("t", () => Promise.reject(new Error("no disk"))));
    expect(failed(await executor.execute(call("t"))).error.message).toBe("t failed: no disk");
  });

  test("is kept as it is when it is a ToolError, of another copy of the package too", async () => {
    const error = new ToolError("rate_limited", "Slow down.", { retryAfterMs: 100 });
    expect((await thrownBy(raise(error))).error).toBe(error);
    const foreign = Object.assign(new Error("Slow down."), {
      code: "rate_limited",
      [Symbol.for("toolweave.ToolError")]: true,
    });
    expect((await thrownBy(raise(foreign))).error).toBe(foreign);
  });

  test.each<[string, unknown, RegExp]>([
    ["nothing", undefined, /undefined/],
    ["null", null, /null/],
    ["an empty error", new Error(), /no reason given/],
    ["a symbol", Symbol("x"), /Symbol\(x\)/],
    ["a message that throws", Object.defineProperty(new Error(), "message", { get: raise("x") }), /no reason could be read/],
    ["a message that is no text", Object.assign(new Error(), { message: 5 }), /no reason given/],
    ["a toString that throws", { toString: raise("x") }, /no reason could be read/],
    ["an object without prototype", Object.create(null), /no reason could be read/],
    ["a proxy that throws", new Proxy({}, { has: raise("x"), get: raise("x"), getPrototypeOf: raise("x") }), /no reason could be read/],
    ["something that only claims to be a ToolError", { [Symbol.for("toolweave.ToolError")]: true, code: "internal" }, /t failed/],
    ["a ToolError of no code", { [Symbol.for("toolweave.ToolError")]: true, code: "made_up", message: "x" }, /t failed/],
  ])("TC03 may be %s", async (_, thrown, message) => {
    const { error } = await thrownBy(raise(thrown));
    expect(error.code).toBe("execution_failed");
    expect(error.message).toMatch(message);
  });

  test("TC03 of 10 MB is cut", async () => {
    const { error, result } = await thrownBy(raise(new Error("x".repeat(10_000_000))));
    expect(error.message.length).toBeLessThan(1100);
    expect(JSON.stringify(result).length).toBeLessThan(1500);
  });
});

describe("an output schema", () => {
  const output = { type: "object", properties: { n: { type: "number" } }, required: ["n"] };

  test("that the answer breaks fails the call, and says that it did run", async () => {
    const executor = executorFor(tool("t", () => ({ n: "one" }), { output }));
    const { error } = failed(await executor.execute(call("t")));
    expect([error.code, error.audience, error.message]).toEqual([
      "invalid_output",
      "host",
      "t answered against its own output schema: /n must be number. The call did run: do not repeat it before checking what it did.",
    ]);
  });

  test("is about the value: an answer without one breaks it, an error need not keep it", async () => {
    const bare = executorFor(tool("t", () => ({ content: [text("x")] }), { output }));
    expect(failed(await bare.execute(call("t"))).error.message).toContain("its output has no structured value");
    const error = executorFor(tool("t", () => ({ content: [text("x")], isError: true }), { output }));
    expect(completed(await error.execute(call("t"))).result.isError).toBe(true);
  });

  test("makes a text a value", async () => {
    const executor = executorFor(tool("t", () => "text", { output: { type: "string" } }));
    expect(completed(await executor.execute(call("t"))).result).toMatchObject({
      content: [text("text")],
      value: "text",
    });
  });

  test("that is none cannot be kept: the call did run, and the host must correct it", async () => {
    for (const output of [{ type: "nothing" }, { $ref: "http://other.example" }]) {
      const executor = executorFor(tool("t", () => 1, { output }));
      for (let time = 0; time < 2; time++) {
        const { error } = failed(await executor.execute(call("t")));
        expect(error.code).toBe("invalid_output");
        expect(error.message).toMatch(/^the output schema of t cannot be used\. The call did run/);
        expect(ToolError.is(error.cause)).toBe(true);
      }
    }
  });

  test("of a tool that only warns is a warning in the event of its end, read by nobody else", async () => {
    const warning = foreignTool("t", {
      spec: { outputSchema: output },
      outputValidation: "warning",
      invoke: () => ({ n: "one" }),
    });
    const unusable = foreignTool("u", {
      spec: { outputSchema: { type: "nothing" } },
      outputValidation: "warning",
      invoke: () => 1,
    });
    const executor = executorFor(new TestSource("s", [warning, unusable]), { policy: "autonomous" });
    completed(await executor.execute(call("t")));
    const events = recorded(executor);
    for (const name of ["t", "u"]) completed(await executor.execute(call(name)));
    expect(events.flatMap((event) => (event.type === "tool.completed" ? [event.warnings] : []))).toEqual([
      ["t answered against its own output schema: /n must be number"],
      ["the output schema of u cannot be used"],
    ]);
  });
});

describe("a suspension", () => {
  test("interrupts the call, with all its requests", async () => {
    const requests = [
      { id: "a", type: "auth", credential: "github", message: "Sign in", url: "https://x.example" },
      { id: "b", type: "input", message: "Which?", schema: { type: "string" } },
    ] as const;
    const executor = executorFor(tool("t", async () => suspend(requests, { step: 1 })));
    expect(interruptionOf(await executor.execute(call("t"))).requests).toEqual(requests);
  });

  test("AP05 cannot be faked by data from outside", async () => {
    const { result } = await answerOf(JSON.parse('{"requests":[],"state":null,"toolweave.suspension":true}'));
    expect(result.isError).toBe(false);
  });

  test("whose requests are not JSON fails the call instead of losing it", async () => {
    const requests = [{ id: "a", type: "input", message: "x", schema: { big: 1n } }];
    const executor = executorFor(tool("t", () => suspend(requests as never, null)));
    expect(codeOf(await executor.execute(call("t")))).toBe("internal");
  });
});
