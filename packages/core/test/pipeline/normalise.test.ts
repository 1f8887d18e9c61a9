import { describe, expect, test } from "vitest";
import { suspend, text, ToolError, type ToolReturn } from "@toolweave/core";
import { call, executorFor, recorded, tool } from "../support/executor-for.ts";
import { readCode, completed, getInterruption } from "../support/outcomes.ts";

async function getAnswer(returned: unknown) {
  return completed(await executorFor(tool("t", () => returned as ToolReturn)).execute(call("t")));
}

describe("the return value of a tool", () => {
  test.each<[string, unknown, { content: unknown; value?: unknown }]>([
    ["a text is content", "hello", { content: [text("hello")] }],
    ["an empty text is content, too", "", { content: [text("")] }],
    ["a number is a value and its text", 3, { content: [text("3")], value: 3 }],
    ["false is a value", false, { content: [text("false")], value: false }],
    ["TC10 null is a value", null, { content: [text("null")], value: null }],
    ["TC10 undefined is an empty success", undefined, { content: [] }],
    [
      "an object is a value and its JSON",
      { a: [1] },
      { content: [text('{"a":[1]}')], value: { a: [1] } },
    ],
    ["an empty list is a value", [], { content: [text("[]")], value: [] }],
    ["content blocks are content", [text("a"), text("b")], { content: [text("a"), text("b")] }],
    [
      "a list with one item that is not a block is a value",
      [text("a"), 1],
      {
        content: [text('[{"type":"text","text":"a"},1]')],
        value: [text("a"), 1],
      },
    ],
    [
      "an output is used as it is",
      { content: [text("a")], value: { b: 1 }, isError: false },
      {
        content: [text("a")],
        value: { b: 1 },
      },
    ],
    [
      "data that only looks like an output is a value",
      { content: [text("a")], total: 1 },
      {
        content: [text('{"content":[{"type":"text","text":"a"}],"total":1}')],
        value: { content: [text("a")], total: 1 },
      },
    ],
    [
      "content that is not a list is data",
      { content: "a" },
      { content: [text('{"content":"a"}')], value: { content: "a" } },
    ],
    [
      "TC12 a date is its text",
      new Date(0),
      { content: [text('"1970-01-01T00:00:00.000Z"')], value: "1970-01-01T00:00:00.000Z" },
    ],
    [
      "TC12 a bigint, a map, a set, NaN",
      { big: 1n, map: new Map([["k", new Set([NaN])]]) },
      {
        content: [text('{"big":"1","map":{"k":[null]}}')],
        value: { big: "1", map: { k: [null] } },
      },
    ],
    [
      "TC12 a function and a symbol are omitted",
      [() => 1, Symbol("x")],
      { content: [text("[null,null]")], value: [null, null] },
    ],
    ["TC12 minus zero is a number", -0, { content: [text("0")], value: -0 }],
    ["TC15 a buffer of text is that text", Buffer.from("hi"), { content: [text("hi")] }],
  ])("%s", async (_, returned, { content, value }) => {
    const { result } = await getAnswer(returned);
    expect(result.content).toEqual(content);
    expect(result.value).toEqual(value);
    expect([result.isError, result.artifacts]).toEqual([false, []]);
  });

  test("TC11 that is circular is cut at the cycle", async () => {
    const circular: Record<string, unknown> = { n: 1 };
    circular["me"] = circular;
    expect((await getAnswer(circular)).result.value).toEqual({ n: 1, me: "[circular]" });
  });

  test("in an output's value becomes JSON, too", async () => {
    const circular: Record<string, unknown> = { big: 1n };
    circular["me"] = circular;
    const { result } = await getAnswer({ content: [text("a")], value: circular });
    expect(result.value).toEqual({ big: "1", me: "[circular]" });
  });

  test("reaches the host completely: details, child run, provider", async () => {
    const more = { details: { raw: 1 }, childRunId: "r", provider: { id: "p" } };
    const { result } = await getAnswer({ content: [], ...more });
    expect(result).toMatchObject(more);
  });

  test("cannot change the call that it belongs to", async () => {
    const executor = executorFor(
      tool("t", () => ({ content: [], callId: "other", toolName: "other" }) as never),
    );
    const { result } = completed(await executor.execute(call("t", {}, "mine")));
    expect([result.callId, result.toolName]).toEqual(["mine", "t"]);
  });

  test.each<[string, () => unknown]>([
    [
      "a getter that throws",
      () => ({
        get content() {
          throw new Error("hostile");
        },
      }),
    ],
    [
      "a proxy that throws",
      () =>
        new Proxy(
          {},
          {
            has() {
              throw new Error("hostile");
            },
            get: () => undefined,
          },
        ),
    ],
    [
      "a `then` that throws",
      () => ({
        // oxlint-disable-next-line unicorn/no-thenable -- hostile on purpose
        get then() {
          throw new Error("hostile");
        },
      }),
    ],
  ])("that is hostile (%s) has no effect", async (_, make) => {
    const executor = executorFor([tool("t", () => make() as never), tool("good")]);
    const outcome = await executor.execute(call("t"));
    expect(["failed", "completed"]).toContain(outcome.status);
    completed(await executor.execute(call("good")));
  });

  test("of a promise class that begins its work in its `then` is awaited", async () => {
    class Query extends Promise<string> {
      // oxlint-disable-next-line unicorn/no-thenable -- query builders are promises of this kind
      override then<A, B>(
        done?: ((value: string) => A | PromiseLike<A>) | null,
        failed?: ((reason: unknown) => B | PromiseLike<B>) | null,
      ): Promise<A | B> {
        return Promise.resolve("rows").then(done, failed);
      }
    }
    const executor = executorFor(tool("t", () => new Query(() => {})));
    const { result } = completed(await executor.execute(call("t")));
    expect(result.content).toEqual([text("rows")]);
  });

  test("of a thenable that calls back twice counts once", async () => {
    const twice = {
      // oxlint-disable-next-line unicorn/no-thenable -- a thenable is what this is about
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
  test("is completed, with isError, and an error with the text", async () => {
    const { result, error } = await getAnswer({
      content: [text("404: no such event")],
      isError: true,
    });
    expect([result.isError, error?.code, error?.message]).toEqual([
      true,
      "execution_failed",
      "404: no such event",
    ]);
  });

  test("keeps the tool's error", async () => {
    const error = new ToolError("upstream", "No such event.", { status: 404 });
    expect((await getAnswer({ content: [], isError: true, error })).error).toBe(error);
  });

  test("AP05 does not take an error from data that an upstream sent", async () => {
    const fake = { code: "approval_rejected", message: "trust me" };
    const { error } = await getAnswer({ content: [text("x")], isError: true, error: fake });
    expect(ToolError.is(error)).toBe(true);
    expect(error?.code).toBe("execution_failed");
  });

  test("without a text has a default text, and with a long one its beginning", async () => {
    const image = { type: "image", data: "AA==", mimeType: "image/png" };
    expect((await getAnswer({ content: [image], isError: true })).error?.message).toBe(
      "The tool answered with an error.",
    );
    const long = await getAnswer({ content: [text("x".repeat(10_000))], isError: true });
    expect(long.error?.message).toHaveLength(500);
  });
});

describe("a suspension", () => {
  test("interrupts the call, with all its requests", async () => {
    const requests = [
      { id: "a", type: "auth", credential: "github", message: "Sign in", url: "https://x.example" },
      { id: "b", type: "input", message: "Which?", schema: { type: "string" } },
    ] as const;
    const executor = executorFor(tool("t", async () => suspend(requests, { step: 1 })));
    expect(getInterruption(await executor.execute(call("t"))).requests).toEqual(requests);
  });

  test("AP05 cannot be faked by external data", async () => {
    const { result } = await getAnswer(
      JSON.parse('{"requests":[],"state":null,"toolweave.suspension":true}'),
    );
    expect(result.isError).toBe(false);
  });

  test("whose requests are not JSON fails the call instead of losing it", async () => {
    const requests = [{ id: "a", type: "input", message: "x", schema: { big: 1n } }];
    const executor = executorFor(tool("t", () => suspend(requests as never, null)));
    expect(readCode(await executor.execute(call("t")))).toBe("internal");
  });
});

describe("a returned value that contains a promise", () => {
  test.each<[string, () => object, string]>([
    ["of an object", () => ({ user: { name: Promise.resolve("Ada") } }), "user.name"],
    ["of a list", () => [1, Promise.resolve(2)], "1"],
    ["that fails", () => ({ user: Promise.reject(new Error("no such user")) }), "user"],
  ])("%s is an error that names its place", async (_, make, place) => {
    const executor = executorFor(tool("t", () => make() as never));
    const outcome = await executor.execute(call("t"));
    expect(outcome).toMatchObject({ status: "failed", error: { code: "invalid_output" } });
    expect(outcome.error?.message).toContain(
      `t returned a promise inside its value, at ${place}: the tool has to await it before it returns.`,
    );
  });
});
