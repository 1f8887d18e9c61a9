import { defineTool, suspend, text } from "@toolweave/core";
import { describe, expect, test } from "vitest";
import { responseCache } from "../../src/index.ts";
import { openTools } from "../support/open-tools.ts";

function open(answer: (count: number) => unknown, ttlMs = 1_000) {
  let count = 0;
  let now = 0;
  const read = defineTool({
    name: "docs__read",
    description: "Read.",
    input: { type: "object" },
    execute: () => answer((count += 1)) as never,
  });
  const clock = { now: () => now, setTimeout: () => ({}), clearTimeout: () => {} };
  const tools = openTools([read], {
    hooks: [responseCache({ tools: { "docs__*": ttlMs }, maxEntries: 2, clock })],
  });
  return { ...tools, count: () => count, advance: (ms: number) => (now += ms) };
}

describe("an answer", () => {
  test("is given again until its time is over", async () => {
    const { callText, advance, count } = open((number) => `answer ${number}`);
    expect(await callText("docs__read", { page: 1 })).toBe("answer 1");
    advance(999);
    expect(await callText("docs__read", { page: 1 })).toBe("answer 1");
    advance(1);
    expect(await callText("docs__read", { page: 1 })).toBe("answer 2");
    expect(count()).toBe(2);
  });

  test("is for the same arguments and the same caller, whatever their order", async () => {
    const { callText, count } = open((number) => `answer ${number}`);
    await callText("docs__read", { a: 1, b: 2 }, { id: "ada" });
    await callText("docs__read", { b: 2, a: 1 }, { id: "ada" });
    expect(count()).toBe(1);
    await callText("docs__read", { a: 1, b: 3 }, { id: "ada" });
    await callText("docs__read", { a: 1, b: 2 }, { id: "grace" });
    await callText("docs__read", { a: 1, b: 2 }, { id: "ada", agent: "x" });
    expect(count()).toBe(4);
  });

  test("of another tool is not kept", async () => {
    let count = 0;
    const other = defineTool({
      name: "other",
      description: "Read.",
      input: { type: "object" },
      execute: () => `answer ${(count += 1)}`,
    });
    const { callText } = openTools([other], {
      hooks: [responseCache({ tools: { "docs__*": 1_000 } })],
    });
    await callText("other", {});
    expect(await callText("other", {})).toBe("answer 2");
  });

  test("makes room for later ones", async () => {
    const { callText, count } = open((number) => `answer ${number}`);
    for (const page of [1, 2, 3, 1]) await callText("docs__read", { page });
    expect(count()).toBe(4);
  });

  test.each([
    ["an error", () => ({ content: [text("x")], isError: true })],
    ["a stream", () => new Response("text")],
    ["a question to a person", () => suspend([{ id: "a", type: "input", message: "?" }], null)],
    [
      "an exception",
      () => {
        throw new Error("x");
      },
    ],
  ])("that is %s is not kept", async (_, answer) => {
    const { call, count } = open(answer);
    await call("docs__read", {});
    await call("docs__read", {});
    expect(count()).toBe(2);
  });

  test("cannot be changed by those who have received it", async () => {
    const { call } = open(() => ({ list: [1] }));
    const first = await call("docs__read", {});
    expect(first.result?.value).toEqual({ list: [1] });
    expect((await call("docs__read", {})).result?.value).toEqual({ list: [1] });
  });

  test("the policy decides about each call", async () => {
    const { executor, count } = open(() => "secret");
    await executor.execute({ id: "1", name: "docs__read", arguments: {} });
    const { executor: strict } = openTools(
      [executor.registry.toolset().get("docs__read") as never],
      {
        policy: { rules: [{ effect: "deny", tools: "docs__read" }] },
        hooks: [responseCache({ tools: { "docs__*": 1_000 } })],
      },
    );
    const denied = await strict.execute({ id: "2", name: "docs__read", arguments: {} });
    expect(denied).toMatchObject({ ok: false });
    expect(count()).toBe(1);
  });
});

test("a time that is no number is refused", () => {
  expect(() => responseCache({ tools: { a: 0 } })).toThrow(
    "responseCache: tools.a is 0; use a number of milliseconds above 0.",
  );
});
