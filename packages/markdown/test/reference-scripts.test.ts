import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { defineTool } from "@toolweave/core";
import { describe, expect, onTestFinished, test } from "vitest";
import { builtins } from "../src/builtins/table.ts";
import { matchesHost } from "../src/effects/declared-access.ts";
import { toolFile } from "./support/project.ts";
import { open, run, tool, value } from "./support/work.ts";

// The format of AI Harness, row by row: the language and its functions. Where its documentation and its program differ, or ours differs from both, the test
// says how; decision 29 has the reasons.

describe("F4.14 the language", () => {
  test.each([
    ["imports", 'load("@x", "y")\ndef run(args):\n    return 1'],
    ["recursion", "def f(n):\n    return f(n)\ndef run(args):\n    return f(1)"],
    ["isinstance", "def run(args):\n    return isinstance(1, 'x')"],
    ["open", "def run(args):\n    return open('x')"],
    ["while", "def run(args):\n    while True:\n        pass"],
    ["sets", "def run(args):\n    return set()"],
  ])("F4.14 has no %s", async (_, script) => {
    expect((await run(script)).ok).toBe(false);
  });

  test("F4.14 nothing stays from call to call", async () => {
    const { call } = await open(
      tool("seen = []\ndef run(args):\n    return add(seen)\ndef add(l):\n    return len(l)"),
    );
    expect((await call("work")).result?.value).toBe(0);
    expect((await call("work")).result?.value).toBe(0);
  });

  test("F4.14 print is written to the log", async () => {
    const lines: string[] = [];
    const { call } = await open(tool("def run(args):\n    print('a', 1)"), {
      source: { log: ({ message }) => lines.push(message) },
    });
    await call("work");
    expect(lines).toEqual(["a 1"]);
  });

  test("F4.14 a script without run is an error", async () => {
    expect((await run("def go(args):\n    return 1")).error?.message).toContain(
      "tool script \"work\" must define a 'run' function",
    );
  });
});

describe("F4.15 the functions", () => {
  test("F4.15 has every function of the documentation and of the program", () => {
    const names = new Set(
      builtins.map(({ module, name }) => (module === undefined ? name : `${module}.${name}`)),
    );
    const wanted =
      "exec.run fs.read fs.write fs.exists fs.stat http.get http.post json.encode json.decode re.match re.search re.findall re.find_all re.replace string.truncate cache.get cache.set delegate.delegate meta.tool_register meta.hook_register meta.register_tool meta.register_hook meta.call_tool meta.list_tools log.log log.info log.warn block allow modify";
    expect(wanted.split(" ").filter((name) => !names.has(name))).toEqual([]);
  });

  test("F4.15 exec.run has the keys of both, arguments arrive as they are, and a timeout is a result", async () => {
    expect(
      await value('def run(args):\n    return exec.run("printf", ["%s|%s", "a b", "$(id);`x`"])'),
    ).toMatchObject({
      ok: true,
      stdout: "a b|$(id);`x`",
      stderr: "",
      exit_code: 0,
      timed_out: false,
      cmd: "printf",
      args: ["%s|%s", "a b", "$(id);`x`"],
      duration_ms: expect.any(Number) as number,
    });
    expect(await value('def run(args):\n    return exec.run("sleep", ["60"], 100)')).toMatchObject({
      ok: false,
      timed_out: true,
    });
  });

  test("F4.15 fs stays in the workspace: a path that leads out of it is an error", async () => {
    for (const path of ["../x", "/etc/passwd", "a/../../x"]) {
      const outcome = await run(`def run(args):\n    return fs.read("${path}")`);
      expect(outcome.ok).toBe(false);
      expect(outcome.error?.message).not.toContain("root:");
    }
  });

  test("F4.15 http gives the status, the body and headers with names in lower case", async () => {
    const server = createServer((request, response) => {
      response.writeHead(request.url === "/no" ? 404 : 200, { "X-Mark": "yes" });
      response.end(`${request.method} ${request.headers["x-a"] ?? ""}`);
    });
    server.listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    onTestFinished(() => void server.close());
    const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    const { call } = await open(
      tool(
        `def run(args):\n    r = http.get("http://${host}/", {"x-a": "b"})\n    return [r["status"], r["ok"], r["body"], r["headers"]["x-mark"], http.post("http://${host}/no", json = {"a": 1})["ok"]]`,
      ),
      { source: { web: { allowPrivate: [host] } } },
    );
    expect((await call("work")).result?.value).toEqual([200, true, "GET b", "yes", false]);
  });

  test("F4.15 re, string, json and cache compute what the documentation says", async () => {
    expect(
      await value(`def run(args):
    cache.set("k", {"a": 1})
    return [re.match("(a)(b)?", "ac"), re.match("b", "ab"), re.search("b", "ab"), re.findall("[0-9]+", "1 22"),
            string.truncate("äöü", 2), json.decode(json.encode({"a": [1, 2.5]})), cache.get("k"), cache.get("x", 7)]`),
    ).toEqual([["a", "a", null], null, ["b"], ["1", "22"], "ä…", { a: [1, 2.5] }, { a: 1 }, 7]);
  });
});

describe("F4.16 to F4.20 the rest", () => {
  test.each([
    ["example.com", "example.com", true],
    ["example.com", "api.example.com", true],
    ["example.com", "badexample.com", false],
    ["*.example.com", "example.com", false],
    ["*.example.com", "a.b.example.com", true],
    ["*", "anything.test", true],
    ["example.com:8080", "EXAMPLE.com.", true],
    ["10.0.0.1", "10.0.0.1", true],
    ["0.0.1", "10.0.0.1", false],
    ["*.1", "10.0.0.1", false],
  ])("F4.16 the host list entry %s and the host %s: %s", (entry, host, matches) => {
    expect(matchesHost(entry, host)).toBe(matches);
  });

  test("F4.16 a file that names its hosts reaches no other one, and redirects to others are not followed", async () => {
    const outcome = await run(
      'def run(args):\n    return http.get("https://other.test/")',
      {},
      "access:\n  network: [example.com]",
    );
    expect(outcome.error).toMatchObject({ code: "permission_denied" });
  });

  test("F4.17 call_tool fires the hooks of the inner call, heeds what they modify, and gives errors as values", async () => {
    const { call } = await open({
      ...tool(
        'def run(args):\n    return [meta.call_tool("inner", {"n": 1}), meta.call_tool("inner", {"n": "x"})["code"]]',
      ),
      ".harness/tools/inner.md": toolFile(
        "def run(args):\n    return args['n']",
        "parameters:\n  n: { type: number, required: true }",
      ),
      ".harness/hooks/h.md": toolFile(
        'def handle(event, payload):\n    return modify({"args": {"n": 5}}) if payload["args"].get("n") == 1 else allow()',
        "event: tool.pre",
      ),
    });
    expect((await call("work")).result?.value).toEqual([
      { ok: true, value: 5 },
      "invalid_arguments",
    ]);
  });

  test("F4.18 delegate gives a task to an agent of the host, and the hooks see its call, too", async () => {
    const agent = defineTool({
      name: "helper",
      description: "An agent.",
      input: { type: "object", properties: { task: { type: "string" } }, required: ["task"] },
      execute: ({ task }) => `did ${task}`,
    });
    const lines: string[] = [];
    const { call } = await open(
      {
        ...tool('def run(args):\n    return delegate("sort", agent = "helper")'),
        ".harness/hooks/h.md": toolFile(
          'def handle(event, payload):\n    log(payload["name"])\n    return allow()',
          "event: tool.pre",
        ),
      },
      { source: { agents: [agent], log: ({ message }) => lines.push(message) } },
    );
    expect((await call("work")).result?.value).toBe("did sort");
    expect(lines).toEqual(["work", "helper"]);
  });

  test("F4.19 scripts that call each other end at the depth of nested calls", async () => {
    const { call } = await open(tool('def run(args):\n    return meta.call_tool("work")'));
    const outcome = await call("work");
    expect(JSON.stringify(outcome)).toContain("nest deeper than 16 levels");
  });

  test("F4.20 an output that is too large is bounded by the executor, whatever the script returns", async () => {
    const outcome = await run('def run(args):\n    return "x" * 200000');
    const [block] = outcome.result?.content ?? [];
    expect(block?.type === "text" && block.text.length).toBeLessThan(60_000);
    expect(outcome.result?.artifacts).toHaveLength(1);
  });
});
