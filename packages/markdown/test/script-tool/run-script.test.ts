import { describe, expect, test } from "vitest";
import { defineTool, text, type Tool } from "@toolweave/core";
import { openSession, recorder, readText } from "./support/session.ts";

const calls: string[] = [];
const tool = recorder(calls);
const item = { type: "object", properties: { id: { type: "integer" } } } as const;

const tools: readonly Tool[] = [
  tool("shop__get-item", {
    properties: { id: { type: "integer" }, "x-lang": { type: "string" } },
    answer: ({ id, ...rest }) => ({ id, price: (id as number) * 10, ...rest }),
  }),
  tool("ping", { answer: () => "pong" }),
  tool("json", { answer: () => "the tool json" }),
  tool("set__import", { answer: () => "set" }),
  tool("shop__import", { answer: () => "imported" }),
  tool("shop", { answer: () => "the shop" }),
  tool("fail_always", {
    answer: () => {
      throw new Error("out of order");
    },
  }),
  tool("page", { properties: { cursor: { type: "string" } } }),
  tool("nullable", { properties: { cursor: { type: ["string", "null"] } } }),
  tool("same-name"),
  tool("same_name"),
  tool("both-a_b"),
  tool("both_a-b"),
  defineTool({
    name: "long_text",
    description: "A long text.",
    input: { type: "object" },
    execute: () => "line\n".repeat(100_000),
  }) as Tool,
];

const session = openSession(tools);
const value = async (script: string): Promise<unknown> => {
  const outcome = await session.run(script);
  expect(outcome.error).toBeUndefined();
  return outcome.result?.value;
};
const failure = async (script: string): Promise<string> => {
  const { error } = await session.run(script);
  return `${error?.code}: ${error?.message}`;
};

describe("a script of a model", () => {
  test("calls the tools as functions and returns its last expression", async () => {
    expect(await value("[shop.get_item(id=i)['price'] for i in [1, 2, 3]]")).toEqual([10, 20, 30]);
  });

  test("returns the variable result rather than the last expression", async () => {
    expect(await value("result = 1\nping()")).toBe(1);
    expect(await value("if False:\n    result = 1\nping()")).toBe("pong");
    expect(await value("x = 1")).toBeNull();
  });

  test("returns what it prints beside its result, up to a limit", async () => {
    const both = await session.run("print('a', 1)\nprint('b')\n7");
    expect(readText(both)).toBe("7\n---\nPrinted:\na 1\nb");
    expect(both.result?.value).toEqual({ result: 7, printed: "a 1\nb" });
    const only = await session.run("for i in range(20000):\n    print('line')");
    expect(readText(only)).toMatch(/^line\nline[^]*\n\[\d+ more lines were printed\]$/);
    expect(readText(only).length).toBeLessThan(17_000);
  });

  test("has while, sets, f-strings and reassignment at its top level", async () => {
    const script = "x = 0\nwhile x < 5:\n    x += 1\ns = set([x, x])\nf'{x} {len(s)}'";
    expect(await value(script)).toBe("5 1");
    expect(await value("[sum([1, 2.5]), sum([1 << 60, 1]) - (1 << 60), sum([], 3)]")).toEqual([
      3.5, 1, 3,
    ]);
  });

  test("calls tools whose names belong to the language as members of tools", async () => {
    expect(await value("tools.json()")).toBe("the tool json");
    expect(await value("json.encode(tools.set__import())")).toBe('"set"');
    expect(await value("shop.import_() + shop()")).toBe("importedthe shop");
    expect(await value("tools.shop__get_item(id=2)['price']")).toBe(20);
    expect(await value("getattr(shop, 'get_' + 'item')(id=1)['id']")).toBe(1);
  });

  test("may use the names of tools for its own variables", async () => {
    expect(await value("page = 3\nshop = [page]\nshop[0]")).toBe(3);
  });

  test("gives arguments that are no names as a dict, and leaves out None", async () => {
    expect(await value("shop.get_item(id=1, **{'x-lang': 'de'})")).toMatchObject({
      "x-lang": "de",
    });
    expect(await value("page(cursor=None)")).toEqual({});
    expect(await value("nullable(cursor=None)")).toEqual({ cursor: null });
  });

  test("calls a tool by name alone if two have the same identifier", async () => {
    calls.length = 0;
    await value("same_name()\ncall_tool('same-name', {})\ncall_tool('both-a_b', {})");
    expect(calls).toEqual(["same_name", "same-name", "both-a_b"]);
    expect(await failure("both_a_b()")).toContain("undefined: both_a_b");
  });

  test("ends with the error of a call, and call_tool returns it", async () => {
    expect(await failure("x = 1\nfail_always()")).toMatch(
      /^execution_failed: line 2, column 12: fail_always: .*out of order/,
    );
    expect(
      await value("r = call_tool('fail_always', {})\n[r['ok'], r['code'], r['value']]"),
    ).toEqual([false, "execution_failed", null]);
    expect(await value("meta.call_tool('ping')")).toEqual({
      ok: true,
      value: "pong",
      error: null,
      code: null,
    });
    expect(await value("call_tool('no_such_tool')['code']")).toBe("not_found");
  });

  test("lists the tools that it can call", async () => {
    const listed = (await value("[t['function'] for t in meta.list_tools()]")) as unknown[];
    expect(listed).toContain("shop.get_item");
    expect(listed).not.toContain("run_script");
    expect(listed).toHaveLength(tools.length);
  });

  test("reads a text that is too long for a model whole", async () => {
    expect(await value("len(long_text())")).toBe(500_000);
  });

  test("fails with places, lines and hints", async () => {
    expect(await failure("try:\n    ping()")).toMatch(
      /^invalid_arguments: The script is invalid; nothing ran\.\nline 1, column 1: got try.*call_tool/,
    );
    expect(await failure("x = 1\ny = x is None")).toContain("Write == or !=");
    expect(await failure("get_item(id=1)")).toContain("There is shop.get_item.");
    expect(await failure("shop.get_itm(id=1)")).toContain("There is shop.get_item.");
    expect(await failure("shop.get_item(1)")).toContain("write its arguments by name: id=…");
    expect(await failure("shop.get_item(id='x')")).toContain("id must be integer");
  });

  test("has the places of its own text in a last expression, too", async () => {
    expect(await failure("a = 1; [a,\n 1 / 0, 1 // 0]")).toContain("line 2, column 4");
    expect(await failure("a = 1; [1 / 0]")).toContain("line 1, column 11");
    expect(await failure("print('x')\n1 / 0")).toMatch(/column 3[^]*Printed before:\nx$/);
  });

  test("makes nested calls with its own call as their parent", async () => {
    session.events.length = 0;
    await session.run("ping()");
    const started = session.events.filter(({ type }) => type === "tool.started");
    const [outer, inner] = started as unknown as { callId: string; parentCallId?: string }[];
    expect(inner?.parentCallId).toBe(outer?.callId);
  });

  test("is at most 64 KiB long, and may be empty", async () => {
    expect(await failure(`x = "${"ü".repeat(33_000)}"`)).toContain("longer than 65536 bytes");
    expect(await value("")).toBeNull();
  });
});

describe("limits of a script", () => {
  test.each([
    ["steps", "for i in range(1 << 40):\n    pass", "steps"],
    ["calls", "for i in range(65):\n    ping()", "more than 64 calls"],
    ["memory", "x = [0]\nwhile True:\n    x = x + x", "memory"],
    ["its result", "'x' * (1 << 20) + 'y'", "longer than 1048576 bytes"],
  ])("end it: %s", async (_, script, message) => {
    const said = await failure(script);
    expect(said).toMatch(/^limit_exceeded/);
    expect(said).toContain(message);
  });

  test("are the host's", async () => {
    const small = openSession(tools, {
      scripts: { limits: { calls: 2, steps: 50, resultBytes: 10, printedBytes: 5 } },
    });
    expect((await small.run("ping()\nping()\nping()")).error?.code).toBe("limit_exceeded");
    expect((await small.run("for i in range(100):\n    pass")).error?.code).toBe("limit_exceeded");
    expect((await small.run("'123456789012'")).error?.code).toBe("limit_exceeded");
    expect(readText(await small.run("print('1234')\nprint('5')"))).toContain("1 more lines");
    expect(() => openSession([], { scripts: { limits: { calls: 0 } } })).toThrow(
      /limits.calls is 0/,
    );
  });
});

test("a read-only tool for scripts is a read, and calls nothing else", async () => {
  const wrote: string[] = [];
  const make = recorder(wrote);
  const read = { readOnlyHint: true, openWorldHint: false };
  const reading = openSession(
    [make("look", { annotations: read }), make("change", { properties: item.properties })],
    { scripts: { readOnly: true }, policy: "readOnly" },
  );
  expect((await reading.run("look()\n1")).result?.value).toBe(1);
  const all = openSession([make("look", { annotations: read }), make("change")], {
    scripts: { readOnly: true },
  });
  expect((await all.run("look()\nchange()")).error?.code).toMatch(
    /permission_denied|not_advertised/,
  );
  expect(wrote).toEqual(["look", "look"]);
});

test("results that are marked as data for a model arrive in a script without the marks", async () => {
  const framed = openSession(
    [
      defineTool({
        name: "note",
        description: "A note.",
        input: { type: "object" },
        execute: () => ({ content: [text("plain")] }),
      }) as Tool,
    ],
    { frameOutputs: true },
  );
  const outcome = await framed.run("note()");
  expect(outcome.result?.value).toBe("plain");
  expect(readText(outcome)).toContain("[data ");
});
