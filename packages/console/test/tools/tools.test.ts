import { defineTool, prefix, toolsSource, ToolError, type Tool } from "@toolweave/core";
import { specHashOf } from "@toolweave/core/adapter";
import { toolSearch } from "@toolweave/core/search";
import { describe, expect, test } from "vitest";
import type {
  CheckResult,
  ProviderView,
  SearchHit,
  ToolDetails,
  ToolList,
} from "../../src/index.ts";
import { TestConsole } from "../support/test-console.ts";

const list = async (console: TestConsole, query = ""): Promise<ToolList> =>
  (await console.send<ToolList>(`/api/tools${query}`)).body;
const names = ({ items }: ToolList): readonly string[] => items.map(({ name }) => name);

/** A tool that can be called only sometimes. */
const shut = {
  ...defineTool({
    name: "shut",
    description: "Is closed.",
    input: { type: "object" },
    execute: () => "",
  }),
  availability: { status: "unavailable", reason: "Sign in first." } as const,
};

describe("the list of tools", () => {
  test("has a row for each tool: its first line, its source, the decision, its access", async () => {
    const console = new TestConsole([prefix(toolsSource("doors", [shut]), "door")]);
    const { items, total, version } = await list(console);
    expect(version).toBe(console.registry.version);
    expect(total).toBe(items.length);
    expect(names({ items } as ToolList)).toEqual([...console.registry.toolset().names()]);
    const row = (name: string) => items.find((item) => item.name === name);
    expect(row("add")).toEqual({
      name: "add",
      title: "Add numbers",
      line: "Adds two numbers.",
      source: "host",
      effect: "allow",
      access: "read",
    });
    expect(row("pay")).toMatchObject({ effect: "ask", access: "destructive" });
    expect(row("door__shut")).toMatchObject({ source: "doors", unavailable: "Sign in first." });
  });

  test("lists tools that the policy denies, with that decision", async () => {
    const console = new TestConsole([], {
      policy: { preset: "autonomous", rules: [{ tools: "pay", effect: "deny" }] },
    });
    expect(names(await list(console, "?effect=deny"))).toEqual(["pay"]);
  });

  test("decides for the caller of the request", async () => {
    const console = new TestConsole([], {
      policy: (question) =>
        question.caller?.agent === undefined
          ? { effect: "allow" }
          : { effect: "deny", reason: "programs do not" },
    });
    const ofAgent = await console.send<ToolList>("/api/tools?effect=deny", { as: "agent" });
    expect(ofAgent.body.total).toBe(console.registry.size);
    expect((await list(console, "?effect=deny")).total).toBe(0);
  });

  test("is filtered by words, source and decision", async () => {
    const console = new TestConsole([toolsSource("doors", [shut])]);
    expect(names(await list(console, "?query=ADDS"))).toEqual(["add"]);
    expect(names(await list(console, "?source=doors"))).toEqual(["shut"]);
    expect(names(await list(console, "?query=a&effect=ask&source=host"))).toEqual(["pay"]);
    expect(names(await list(console, "?query=nothing-like-it"))).toEqual([]);
  });

  test("comes in pages that list each tool once, also if tools change meanwhile", async () => {
    const console = new TestConsole();
    const all = names(await list(console));
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await list(
        console,
        `?limit=2${cursor === undefined ? "" : `&cursor=${cursor}`}`,
      );
      expect(page.total).toBe(console.registry.size);
      seen.push(...names(page));
      cursor = page.nextCursor;
      if (seen.length === 2) await console.registry.remove(seen[0] as string);
    } while (cursor !== undefined);
    expect(seen).toEqual(all);
  });

  test("is 304 for its own tag until a tool changes, and the row of another caller is another one", async () => {
    const console = new TestConsole();
    const first = await console.fetch("/api/tools?limit=50000");
    const tag = first.headers.get("etag") as string;
    const again = async (as: "session" | "agent" = "session") =>
      console.fetch("/api/tools?limit=50000", {
        as,
        headers: { "if-none-match": `W/${tag}, "x"` },
      });
    const unchanged = await again();
    expect([unchanged.status, unchanged.headers.get("etag"), await unchanged.text()]).toEqual([
      304,
      tag,
      "",
    ]);
    expect((await again("agent")).status).toBe(200);
    console.registry.add(shut);
    const changed = await again();
    expect([changed.status, changed.headers.get("etag") === tag]).toEqual([200, false]);
    expect(names((await changed.json()) as ToolList)).toContain("shut");
  });

  test("asks the policy once for each tool and version, however often it is read", async () => {
    let asked = 0;
    const console = new TestConsole([], {
      policy: () => {
        asked += 1;
        return { effect: "allow" };
      },
    });
    for (let count = 0; count < 5; count++) await list(console, `?limit=${count + 1}`);
    expect(asked).toBe(console.registry.size);
    console.registry.add(shut);
    await list(console);
    expect(asked).toBe(2 * console.registry.size - 1);
  });

  test.each(["limit=0", "limit=50001", "limit=x", "cursor=%20", "effect=maybe"])(
    "with the query %s is 400",
    async (query) => {
      const { status, body } = await new TestConsole().send(`/api/tools?${query}`);
      expect([status, body["code"]]).toEqual([400, "invalid_query"]);
    },
  );
});

describe("a tool", () => {
  test("has its whole definition, its hash and an estimate of tokens", async () => {
    const console = new TestConsole();
    const { body } = await console.send<ToolDetails>("/api/tools/add");
    const spec = console.registry.get("add")?.spec;
    expect(body).toEqual({
      spec: JSON.parse(JSON.stringify(spec)) as unknown,
      argumentsSchema: spec?.inputSchema,
      specHash: await specHashOf(console.registry.get("add") as Tool),
      source: "host",
      effect: "allow",
      tokens: Math.ceil(JSON.stringify(["add", spec?.description, spec?.inputSchema]).length / 4),
    });
  });

  test("that is unknown is 404 with similar names", async () => {
    const console = new TestConsole();
    for (const path of ["/api/tools/ad", "/api/tools/ad/as/openai"]) {
      const { status, body } = await console.send(path);
      expect([status, body["code"]]).toEqual([404, "not_found"]);
      expect(body["detail"]).toContain("Did you mean add");
    }
    const json = { arguments: {} };
    expect((await console.send("/api/tools/ad/check", { json })).status).toBe(404);
  });

  test("whose schema cannot be read is 409", async () => {
    const broken = defineTool({
      name: "broken",
      description: "Cannot be read.",
      input: { type: "object" },
      execute: () => "",
    });
    Object.defineProperty(broken.spec, "inputSchema", {
      enumerable: true,
      get() {
        throw new ToolError("unavailable", "the document is missing");
      },
    });
    const console = new TestConsole([toolsSource("documents", [broken])]);
    const { status, body } = await console.send("/api/tools/broken");
    expect([status, body["code"]]).toEqual([409, "tool_unavailable"]);
    expect((await list(console)).total).toBe(console.registry.size);
  });
});

describe("a tool in the format of", () => {
  test.each(["openai", "anthropic", "gemini", "bedrock", "mcp"])(
    "%s has its definition there, with an estimate of tokens",
    async (provider) => {
      const console = new TestConsole();
      const { body } = await console.send<ProviderView>(`/api/tools/add/as/${provider}`);
      expect(body).toMatchObject({ provider, name: "add", omitted: false, problems: [] });
      const text = JSON.stringify(body.definition);
      expect(text).toContain('"required":["a","b"]');
      expect(body.tokens).toBe(Math.ceil(text.length / 4));
    },
  );

  test("a provider that accepts less lists what is weaker there", async () => {
    const console = new TestConsole([
      defineTool({
        name: "narrow",
        description: "Has a schema that Gemini cannot express.",
        input: { type: "object", properties: { a: {} }, not: { required: ["b"] } },
        execute: () => "",
      }),
    ]);
    const { body } = await console.send<ProviderView>("/api/tools/narrow/as/gemini");
    expect(body.omitted).toBe(false);
    expect(body.problems).toEqual([expect.stringContaining("/not is weaker")]);
  });

  test("a model that does not receive it says why", async () => {
    const console = new TestConsole([], { policy: "readOnly" });
    const { body } = await console.send<ProviderView>("/api/tools/pay/as/openai");
    expect(body.omitted).toBe(true);
    expect(body.problems).toEqual([expect.stringContaining("policy denies")]);
  });

  test("an unknown provider is 404", async () => {
    expect((await new TestConsole().send("/api/tools/add/as/other")).status).toBe(404);
  });
});

describe("the search", () => {
  test("finds what search_tools finds, in the same order, with scores", async () => {
    const console = new TestConsole([], {
      policy: { preset: "supervised", rules: [{ tools: "shop", effect: "deny" }] },
    });
    const query = "pay money by a call";
    const { body } = await console.send<{ items: SearchHit[] }>(
      `/api/search?q=${encodeURIComponent(query)}`,
    );
    const run = console.executor.startRun({ search: toolSearch({ form: "growing" }) });
    const outcome = await run.execute({ id: "1", name: "search_tools", arguments: { query } });
    const found = outcome.result?.value as { tools: { name: string }[] };
    expect(body.items.map(({ name }) => name)).toEqual(found.tools.map(({ name }) => name));
    expect(body.items[0]).toMatchObject({ name: "pay", line: "Pays money to a person." });
    const scores = body.items.map(({ score }) => score);
    expect(scores).toEqual([...scores].sort((one, other) => other - one));
    expect(body.items.map(({ name }) => name)).not.toContain("shop");
  });

  test("follows changes of the tools", async () => {
    const console = new TestConsole();
    const find = async () =>
      (await console.send<{ items: SearchHit[] }>("/api/search?q=closed+door&limit=1")).body.items;
    expect(await find()).toEqual([]);
    console.registry.add(shut);
    expect(await find()).toMatchObject([{ name: "shut" }]);
  });

  test.each(["", "?q=a&limit=21", "?q=a&limit=0", `?q=${"a".repeat(2_001)}`])(
    "with the query %s is 400",
    async (query) => {
      expect((await new TestConsole().send(`/api/search${query}`)).status).toBe(400);
    },
  );
});

describe("the check of a call", () => {
  const check = async (
    console: TestConsole,
    name: string,
    args: unknown,
    as: "session" | "agent" = "session",
  ): Promise<CheckResult> =>
    (await console.send<CheckResult>(`/api/tools/${name}/check`, { as, json: { arguments: args } }))
      .body;

  test("locates each problem by a JSON pointer, and runs nothing", async () => {
    const console = new TestConsole();
    const { problems, explanation, ...rest } = await check(console, "pay", { to: 1, "a/b": 2 });
    expect(problems.map(({ pointer }) => pointer).sort()).toEqual(["/a~1b", "/to"]);
    expect(problems.every(({ message }) => message.length > 0)).toBe(true);
    expect(explanation).toMatchObject({ effect: "deny", problem: { code: "invalid_arguments" } });
    expect(rest).toEqual({});
    expect(console.effects).toEqual([]);
  });

  test("shows valid arguments with a mask for each secret, and the decision with its rule", async () => {
    const console = new TestConsole();
    const result = await check(console, "pay", { to: "mira", pin: "4711" });
    expect(result).toMatchObject({
      problems: [],
      arguments: { to: "mira", pin: "[redacted]" },
      explanation: {
        tool: "pay",
        effect: "ask",
        requests: [{ permission: { target: "pay" }, effect: "ask", layer: "policy" }],
      },
    });
    expect(JSON.stringify(result)).not.toContain("4711");
    expect(console.effects).toEqual([]);
    expect(await console.pendingCalls.list()).toEqual([]);
  });

  test.each([
    ["a text that is no JSON", "{"],
    ["a list", []],
    ["a number", 7],
  ])("of %s has a problem with the whole", async (_, args) => {
    const { problems } = await check(new TestConsole(), "add", args);
    expect(problems).toEqual([{ pointer: "", message: expect.any(String) }]);
  });

  test("of an integer that would be rounded is refused, and not of another integer", async () => {
    const console = new TestConsole();
    const { body } = await console.send<CheckResult>("/api/tools/add/check", {
      headers: { "content-type": "application/json" },
      body: '{"arguments":{"a":9007199254740993,"b":1}}',
    });
    expect(body.problems).toEqual([
      { pointer: "/a", message: expect.stringContaining("between -9007199254740991 and") },
    ]);
  });

  test("decides for the sender", async () => {
    const console = new TestConsole([], {
      policy: ({ caller }) => ({ effect: caller?.agent === undefined ? "allow" : "deny" }),
    });
    expect((await check(console, "add", { a: 1, b: 2 })).explanation.effect).toBe("allow");
    expect((await check(console, "add", { a: 1, b: 2 }, "agent")).explanation.effect).toBe("deny");
  });

  test.each([{}, { arguments: {}, name: "add" }, []])("with the body %j is 422", async (json) => {
    const { status } = await new TestConsole().send("/api/tools/add/check", { json });
    expect(status).toBe(422);
  });
});
