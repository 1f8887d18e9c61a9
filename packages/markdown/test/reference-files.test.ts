import { describe, expect, test } from "vitest";
import { toolFile } from "./support/project.ts";
import { open, run, tool } from "./support/work.ts";

// The format of AI Harness, row by row. Where its documentation and its program differ, or ours differs from both, the test
// says how; decision 29 has the reasons.

/** The example of the documentation, unchanged. */
const example = `---
parameters:
  command: { type: string, required: true }
  timeout_ms: { type: number, required: false }
script: |
  def run(args):
      return exec.run("bash", ["-lc", args["command"]], 15000)
timeout_ms: 30000
---

# run_command

Run a shell command. The body becomes the tool's description: it is
shipped to the model in every \`tools[]\` slot and is what the model reads
when deciding whether to call this tool.
`;

describe("F4.1 the file", () => {
  test("F4.1 the name is the stem, the body the description, and fences do not run", async () => {
    const { project, call } = await open({
      ".harness/tools/run_command.md": example,
      ".harness/tools/empty.md": toolFile("def run(args):\n    return 1", "", ""),
      ".harness/tools/fenced.md":
        "---\ntimeout_ms: 5\n---\nText.\n```starlark\ndef run(args):\n    return 1\n```\n",
    });
    const { toolset } = project.executor;
    expect(toolset.get("run_command")?.spec.description).toMatch(/^# run_command\n\nRun a shell/);
    expect(toolset.get("empty")?.spec.description).toBe("empty");
    expect(toolset.get("fenced")?.spec.description).toContain("```starlark");
    expect((await call("fenced")).status).toBe("interrupted");
    const outcome = await call("run_command", { command: "echo $((40 + 2))" });
    expect(outcome.result?.value).toMatchObject({ ok: true, stdout: "42\n", exit_code: 0 });
  });

  test.each([
    ["no delimiter", "x", "markdown file must start with --- frontmatter delimiter"],
    ["nothing after it", "---", "no content after opening --- delimiter"],
    ["no end", "---\na: 1\n", "no closing --- delimiter found for frontmatter"],
  ])("F4.1x a file with %s has the error of the reference", async (_, text, message) => {
    const { project } = await open({ ".harness/tools/bad.md": text });
    expect(project.source.findings[0]?.message).toContain(message);
  });

  test("F4.1x unknown keys are kept for the host, and reported", async () => {
    const { project } = await open(tool("def run(args):\n    return 1", "timeout: 5"));
    expect(project.source.findings).toMatchObject([{ code: "unknown_key", severity: "warning" }]);
    expect(project.executor.toolset.get("work")?.spec.metadata).toEqual({ timeout: 5 });
  });
});

describe("F4.2 to F4.4 the fields", () => {
  test("F4.2 async: true is a task: the model gets its id, and can poll, await and cancel it", async () => {
    const { project, call } = await open(tool("def run(args):\n    return 'done'", "async: true"));
    const outcome = await call("work");
    const { taskId } = outcome.result ?? {};
    expect(taskId).toBeTypeOf("string");
    expect([...project.executor.startRun().toolset.names()]).toEqual(
      expect.arrayContaining(["task_status", "task_result", "task_cancel"]),
    );
    const { tasks } = project.executor;
    const result = await tasks.result(taskId as string, { waitMs: 60_000 });
    expect(result?.result?.content).toEqual([{ type: "text", text: "done" }]);
    expect((await tasks.status(taskId as string)).status).toBe("completed");
  });

  test("F4.3 parameters keep their order; the types are those of JSON; another type is an error", async () => {
    const head =
      "parameters:\n  z: { type: string }\n  a: { type: number, required: true }\n  m: { type: boolean }\n  o: { type: object }\n  l: { type: array }";
    const { project } = await open(tool("def run(args):\n    return args", head));
    const { inputSchema } = project.executor.toolset.get("work")?.spec ?? {};
    expect(Object.keys(inputSchema?.["properties"] as object)).toEqual(["z", "a", "m", "o", "l"]);
    expect(inputSchema?.["required"]).toEqual(["a"]);
    const bad = await open(
      tool("def run(args):\n    return 1", "parameters:\n  a: { type: strin }"),
    );
    expect(bad.project.source.findings[0]?.severity).toBe("error");
  });

  test("F4.4 required parameters and types are checked before the script; extra keys pass; nothing is coerced", async () => {
    const head = "parameters:\n  n: { type: number, required: true }";
    const script = "def run(args):\n    return args";
    expect((await run(script, {}, head)).error?.code).toBe("invalid_arguments");
    expect((await run(script, { n: "5" }, head)).error?.code).toBe("invalid_arguments");
    expect((await run(script, { n: 5, extra: [1] }, head)).result?.value).toEqual({
      n: 5,
      extra: [1],
    });
  });
});

describe("F4.5 to F4.10 a call", () => {
  test("F4.5 every result is JSON, also of a dict; None is no content", async () => {
    const outcome = await run('def run(args):\n    return {"ok": True, "n": None, "l": (1, 2)}');
    expect(outcome.result?.content).toEqual([
      { type: "text", text: '{"ok":true,"n":null,"l":[1,2]}' },
    ]);
    expect((await run("def run(args):\n    return None")).result?.content).toEqual([]);
  });

  test('F4.6 fail() is an error result; {"error": …} is a normal one, unless error_shape says otherwise', async () => {
    const failed = await run("def run(args):\n    fail('no')");
    expect(failed.error?.code).toBe("execution_failed");
    expect(failed.result?.isError).toBe(true);
    const script = 'def run(args):\n    return {"error": "none"}';
    expect((await run(script)).ok).toBe(true);
    expect((await run(script, {}, "error_shape: error")).result?.isError).toBe(true);
  });

  test("F4.7 the timeout stops a script that computes; 0 is no limit; a negative one is an error", async () => {
    const loop = "def run(args):\n    for i in range(1 << 60):\n        pass";
    expect((await run(loop, {}, "timeout_ms: 50")).error?.code).toBe("timeout");
    const { project } = await open(tool("def run(args):\n    return 1", "timeout_ms: 0"));
    expect(project.executor.toolset.get("work")?.spec.timeoutMs).toBe(0);
    const bad = await open(tool("def run(args):\n    return 1", "timeout_ms: -1"));
    expect(bad.project.source.findings[0]?.message).toBe('tool "work" timeout_ms must be >= 0');
  });

  test("F4.8 one name twice is an error that names both places; an entry without a name is one", async () => {
    const { project } = await open({
      ...tool("def run(args):\n    return 1"),
      "harness.md":
        "---\ntools:\n  - name: work\n    script: |\n      def run(args):\n          return 2\n  - script: |\n      def run(args):\n          return 3\n---\n",
    });
    expect(project.source.findings.map(({ message }) => message)).toEqual([
      "tools[1].name cannot be empty",
      'tool "work" is defined more than once',
    ]);
  });

  test("F4.9 the order is: find, validate, tool.pre, run, tool.post; an unknown tool fires no hook", async () => {
    const lines: string[] = [];
    const note = (event: string): string =>
      toolFile(
        `def handle(event, payload):\n    log(event + " " + payload["name"])\n    return allow()`,
        `event: ${event}`,
      );
    const { call } = await open(
      {
        ...tool(
          "def run(args):\n    log('run')\n    return args['n']",
          "parameters:\n  n: { type: number, required: true }",
        ),
        ".harness/hooks/pre.md": note("tool.pre"),
        ".harness/hooks/post.md": note("tool.post"),
      },
      { source: { log: ({ message }) => lines.push(message) } },
    );
    await call("nothing");
    await call("work", {});
    expect(lines).toEqual([]);
    await call("work", { n: 1 });
    expect(lines).toEqual(["tool.pre work", "run", "tool.post work"]);
  });

  test("F4.10 calls of a turn run at the same time, and their results are in the order of the calls", async () => {
    const { project } = await open(tool("def run(args):\n    return args['n']"));
    const calls = [3, 1, 2].map((n) => ({ id: `c${n}`, name: "work", arguments: { n } }));
    const outcomes = await project.executor.startRun().executeAll(calls);
    expect(outcomes.map(({ result }) => result?.value)).toEqual([3, 1, 2]);
  });
});

describe("F4.11 to F4.13 hooks and policy", () => {
  test("F4.11 handle(event, payload) gets `args` as the documentation says, and `arguments` as JSON", async () => {
    const { call } = await open({
      ...tool("def run(args):\n    return 1"),
      ".harness/hooks/path_guard.md": toolFile(
        'def handle(event, payload):\n    path = payload["args"].get("path", "")\n    if path.startswith("/etc") and json.decode(payload["arguments"])["path"] == path:\n        return block("not there")\n    return allow()',
        "event: tool.pre",
      ),
    });
    expect((await call("work", { path: "/etc/passwd" })).error?.message).toContain("not there");
    expect((await call("work", { path: "a" })).ok).toBe(true);
  });

  test.each([
    "session.start",
    "turn.end",
    "agent.stop",
    "completion.pre",
    "delegation.post_verify",
    "error",
    "custom.x",
    "meta.call_tool",
  ])(
    "F4.12 a hook may wait for %s, and is reported if the host does not emit it",
    async (event) => {
      const { project } = await open({
        ".harness/hooks/h.md": toolFile(
          "def handle(event, payload):\n    return allow()",
          `event: ${event}`,
        ),
      });
      expect(project.source.findings).toMatchObject([{ code: "event_not_fired" }]);
    },
  );

  test("F4.13 a tool that the policy denies is not listed, and a call of it is refused", async () => {
    const { project, call } = await open(tool("def run(args):\n    return 1"), {
      executor: { policy: { rules: [{ tools: "wor*", effect: "deny" }] } },
    });
    expect([...project.executor.toolset.names()]).toEqual([]);
    expect((await call("work")).error?.code).toBe("not_advertised");
  });
});
