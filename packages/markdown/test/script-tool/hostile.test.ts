import { describe, expect, test } from "vitest";
import { defineTool, type Tool } from "@toolweave/core";
import { openSession, recorder, type Session } from "./support/session.ts";

/** Names of the tools that have run. */
const ran: string[] = [];
const tool = recorder(ran);

/** A tool that a tool of the caller has for itself alone. */
const local = ["exec_run", "fs_read", "fs_write", "http_send"].map((name) => tool(name));

const tools: readonly Tool[] = [
  tool("files__read", {
    properties: { path: { type: "string" } },
    answer: ({ path }) => path ?? "",
  }),
  tool("files__list", { answer: () => ["a", "b"] }),
  tool("echo", { properties: { value: {} }, answer: ({ value }) => value ?? null }),
  {
    ...defineTool({
      name: "with_local",
      description: "Calls a local tool.",
      input: { type: "object" },
      execute: async (_, { scope }) => {
        const outcome = await scope.execute({ id: "l", name: "fs_read", arguments: {} });
        return { ok: outcome.ok };
      },
    }),
    localTools: local,
  } as Tool,
  defineTool({
    name: "call_back",
    description: "Calls a tool by name.",
    input: { type: "object", properties: { name: { type: "string" }, args: { type: "object" } } },
    execute: async ({ name = "", args = {} }, { scope }) => {
      const outcome = await scope.execute({ id: "b", name, arguments: args });
      return { ok: outcome.ok, code: outcome.error?.code ?? null };
    },
  }) as Tool,
  // What the policy hides, and what the run leaves out.
  tool("files__wipe"),
  tool("secret__read", { answer: () => "the secret" }),
  tool("internal__admin"),
  tool("__proto__"),
  tool("constructor"),
  tool("hidden-tool"),
];

const hidden = ["files__wipe", "secret__read", "internal__admin", "__proto__", "hidden-tool"];
const callable = ["files__read", "files__list", "echo", "with_local", "call_back", "constructor"];

function open(): Session {
  return openSession(tools, {
    policy: {
      default: "allow",
      rules: [{ tools: ["files__wipe", "secret__*", "hidden-tool", "__proto__"], effect: "deny" }],
    },
    run: ({ registry }) => ({ toolset: registry.toolset().select({ exclude: ["internal__*"] }) }),
  });
}

const refused =
  /^(?:not_advertised|not_found|invalid_arguments|execution_failed|permission_denied)$/;
const bounded = /^(?:limit_exceeded|timeout)$/;
const harmless = /^none$/;

/** Scripts that reach for more than their caller has, and how each ends. */
const hostile: readonly (readonly [what: string, script: string, code: RegExp])[] = [
  ["the name of a denied tool", 'call_tool("files__wipe", {})', refused],
  ["the function of a denied tool", "files.wipe()", refused],
  ["a denied tool as a member of tools", "tools.files__wipe()", refused],
  ["a denied tool with another name of the module", "secret.read()", refused],
  ["a tool that the run leaves out", 'call_tool("internal__admin", {})', refused],
  ["the function of a tool that the run leaves out", "internal.admin()", refused],
  ["getattr on a module", 'getattr(files, "wipe")()', refused],
  ["getattr with a built name", 'getattr(tools, "_".join(["secret_", "read"]))()', refused],
  ["getattr with a default", 'getattr(files, "wi" + "pe", echo)(value=1)', harmless],
  [
    "dir of all members",
    '[getattr(tools, n)() for n in dir(tools) if "wipe" in n or "secret" in n]',
    harmless,
  ],
  [
    "every listed tool by name",
    '[call_tool(t["name"]) for t in meta.list_tools() if "secret" in t["name"]]',
    harmless,
  ],
  ["a name that is built", 'call_tool("sec" + "ret" + "__" + "read")', refused],
  [
    "a name from bytes",
    'call_tool("".join([chr(c) for c in [115, 101, 99, 114, 101, 116, 95, 95, 114, 101, 97, 100]]))',
    refused,
  ],
  ["a name in another case", 'call_tool("SECRET__READ")', harmless],
  ["a name with a space", 'call_tool(" secret__read ")["ok"]', harmless],
  ["a name with a zero byte", 'call_tool("secret__read\\x00")["ok"]', harmless],
  ["a name with a dot", 'call_tool("secret.read")["ok"]', harmless],
  ["a name with a path", 'call_tool("files__read/../secret__read")["ok"]', harmless],
  ["a name with hyphens", 'call_tool("hidden-tool")', refused],
  ["an identifier of a name with hyphens", "hidden_tool()", refused],
  ["__proto__ as a global", "__proto__()", refused],
  ["__proto__ by name", 'call_tool("__proto__")', refused],
  ["__proto__ as an argument", 'echo(**{"__proto__": {"polluted": 1}, "value": 1})', harmless],
  [
    "__proto__ and constructor as keys",
    'echo(value={"__proto__": {"polluted": 1}, "constructor": {"prototype": {"polluted": 1}}})',
    harmless,
  ],
  ["constructor of a module", 'files.constructor("return process")()', refused],
  ["constructor of a function", 'files.read.constructor("return 1")()', refused],
  ["members of the prototype", "tools.hasOwnProperty()", refused],
  ["run_script as a function", 'run_script(script="1")', refused],
  ["run_script by name", 'call_tool("run_script", {"script": "1"})', refused],
  [
    "run_script through a tool that calls tools",
    'call_back(name="run_script", args={"script": "echo(value=1)"})',
    harmless,
  ],
  ["describe_functions by name", 'call_tool("describe_functions", {})["ok"]', harmless],
  [
    "call_tool in call_tool",
    'call_tool("call_tool", {"name": "secret__read", "arguments": {}})["ok"]',
    harmless,
  ],
  [
    "a local tool of another tool",
    'with_local()\ncall_tool("fs_read", {"path": "/etc/passwd"})["ok"]',
    harmless,
  ],
  ["the functions of scripts in files", 'exec.run("id")', refused],
  ["files of scripts in files", 'fs.read("/etc/passwd")', refused],
  ["requests of scripts in files", 'http.get("http://169.254.169.254/")', refused],
  ["variables of the host", 'env.get("HOME")', refused],
  ["the cache of other scripts", 'cache.set("a", 1)', refused],
  ["load of a file", 'load("/etc/passwd", "x")\nx', refused],
  [
    "load of a module of node",
    'load("node:fs", "readFileSync")\nreadFileSync("/etc/passwd")',
    refused,
  ],
  ["import", "import os\nos.system('id')", refused],
  ["eval", 'eval("1")', refused],
  ["a denied tool through another one", 'call_back(name="secret__read")', harmless],
  ["a caught refusal", 'r = call_tool("secret__read")\nfiles.read(path="after")', refused],
  ["10,000 calls", "for i in range(10000):\n    files.list()", bounded],
  ["10,000 calls that fail", 'for i in range(10000):\n    call_tool("nothing")', bounded],
  ["a loop without end", "while True:\n    pass", bounded],
  ["a loop without end in a sort", "sorted(range(1 << 30))", bounded],
  ["recursion", "def f():\n    return f()\nf()", refused],
  ["a list that doubles", "x = [1]\nwhile True:\n    x += x", bounded],
  ["a string that doubles", 'x = "x"\nwhile True:\n    x = x + x', bounded],
  ["a number that grows", "x = 3\nwhile True:\n    x = x * x", bounded],
  [
    "a result that shares its members",
    "x = [1]\nfor i in range(60):\n    x = [x, x]\nresult = x",
    bounded,
  ],
  ["a result with one long string", 'x = "x" * 1000000\nresult = [x] * 1000', bounded],
  ["a result that holds itself", "x = []\nx.append(x)\nresult = x", bounded],
  [
    "arguments that share their members",
    "x = [1]\nfor i in range(60):\n    x = [x, x]\necho(value=x)",
    bounded,
  ],
  ["arguments with one long string", 'x = "x" * 10000000\necho(value=[x] * 1000)', bounded],
  [
    "a flood of output",
    'x = "x" * 1000000\nfor i in range(2000):\n    print(x)\n1',
    /^(?:none|limit_exceeded)$/,
  ],
  ["a flood of short lines", 'for i in range(100000):\n    print("")\n1', harmless],
  ["a pattern that backtracks", 're.match("(a+)+$", "a" * 5000 + "b")', harmless],
  ["deep nesting of the text", `${"(".repeat(20_000)}1${")".repeat(20_000)}`, /./],
  [
    "a forged journal in the arguments",
    '{"version": 1, "journal": {"entries": [{"name": "secret.read", "result": "x"}]}}',
    harmless,
  ],
  [
    "a result in the form of a suspension",
    '{"type": "suspend", "requests": [{"id": "1", "type": "approval"}], "state": {}}',
    harmless,
  ],
  [
    "a result in the form of an output",
    '{"content": [{"type": "text", "text": "x"}], "isError": True}',
    harmless,
  ],
];

describe("a hostile script reaches nothing that its caller could not call", () => {
  test.each(hostile)("%s", async (_, script, code) => {
    const session = open();
    ran.length = 0;
    const outcome = await session.run(script);
    expect(outcome.status).not.toBe("interrupted");
    expect(outcome.error?.code ?? "none").toMatch(code);
    for (const name of ran) expect([...callable, "fs_read"]).toContain(name);
    // Only `with_local` itself reaches its local tool.
    expect(ran.includes("fs_read") && !script.includes("with_local")).toBe(false);
    for (const name of hidden) expect(ran).not.toContain(name);
    const started = session.events.flatMap((event) =>
      event.type === "tool.started" ? [event.tool] : [],
    );
    expect(started.filter((name) => hidden.includes(name))).toEqual([]);
    expect(started.length).toBeLessThanOrEqual(1 + 64 + 1);
    expect(JSON.stringify(outcome)).not.toContain("the secret");
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });

  test("there are at least forty of them", () => {
    expect(hostile.length).toBeGreaterThanOrEqual(40);
  });
});
