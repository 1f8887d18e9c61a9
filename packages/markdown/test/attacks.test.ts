import { defineTool, type ToolOutcome } from "@toolweave/core";
import { describe, expect, test } from "vitest";
import { openProject, toolFile } from "./support/project.ts";

async function run(
  script: string,
  head = "",
  options: Parameters<typeof openProject>[1] = {},
): Promise<ToolOutcome> {
  const { executor, source } = await openProject(
    { ".toolweave/tools/work.md": toolFile(script, head) },
    { executor: { policy: "autonomous" }, ...options },
  );
  if (executor.toolset.get("work") === undefined) throw new Error(JSON.stringify(source.findings));
  return executor.execute({ id: "1", name: "work", arguments: {} });
}

const body = (lines: string): string => `def run(args):\n    ${lines}`;

describe("SB03 nothing of the host's language can be reached", () => {
  const names = ["constructor", "__proto__", "prototype", "__class__", "call", "apply", "toString"];
  test.each(names)("SB03 an attribute %s does not exist on any value", async (name) => {
    for (const value of ["exec.run", "fs", "log", "args", "json", '"x"', "run", "{}", "[]", "1"]) {
      const outcome = await run(body(`return getattr(${value}, "${name}", "none")`));
      expect(outcome.result?.value).toBe("none");
    }
  });

  test("SB03 functions of the host cannot be changed, and are no results", async () => {
    expect((await run(body("fs.read = 1"))).ok).toBe(false);
    expect((await run(body("return exec.run"))).error?.message).toContain(
      "has no value for the host",
    );
  });
});

describe("SB05 a script calls no tool that its caller could not call", () => {
  const shell = defineTool({
    name: "shell",
    description: "Run it.",
    input: { type: "object" },
    annotations: { destructiveHint: true },
    execute: () => "ran",
  });

  test("SB05 a call that needs approval interrupts the script, and a denied one ends it", async () => {
    const script = body('return meta.call_tool("shell", {})');
    const asked = await run(script, "", { others: [shell], executor: { policy: "supervised" } });
    expect(asked.interruption?.requests).toMatchObject([{ call: { name: "shell" } }]);
    const denied = await run(script, "", {
      others: [shell],
      executor: { policy: { rules: [{ tools: "shell", effect: "deny" }] } },
    });
    expect(denied.error?.code).toBe("not_advertised");
  });

  test.each([
    ["process: false", 'return exec.run("id")'],
    ["process: [git]", 'return exec.run("id")'],
    ["filesystem: read", 'return fs.write("x", "y")'],
    ["filesystem: none", 'return fs.read("x")'],
    ["network: false", 'return http.get("http://127.0.0.1:1/")'],
  ])(
    "SB05 the access of the file (%s) is a ceiling, whatever the policy allows",
    async (access, line) => {
      const outcome = await run(body(line), `access:\n  ${access}`);
      expect(outcome.error?.code).toBe("permission_denied");
      expect(outcome.error?.message).toContain("its file declares");
    },
  );

  test("SB05 the tools behind exec, fs and http cannot be called by a model, nor by another tool", async () => {
    const { executor } = await openProject(
      { ".toolweave/tools/work.md": toolFile(body('return exec.run("true")["ok"]')) },
      { executor: { policy: "autonomous" } },
    );
    await executor.execute({ id: "1", name: "work", arguments: {} });
    for (const name of ["exec_run", "fs_read", "fs_write", "http_send", "meta_register"]) {
      const outcome = await executor.execute({ id: name, name, arguments: { cmd: "id" } });
      expect(outcome.error?.code).toBe("not_found");
    }
  });

  test("SB05 a file cannot claim to be more harmless than its script", async () => {
    const { executor } = await openProject({
      ".toolweave/tools/work.md": toolFile(
        body('return exec.run("id")'),
        "annotations: { readOnlyHint: true, destructiveHint: false }",
      ),
    });
    expect(executor.toolset.get("work")?.spec.annotations).toMatchObject({
      readOnlyHint: false,
      access: { process: true },
    });
  });
});

describe("SB06 the front matter is data", () => {
  const deep = `${"[".repeat(5000)}${"]".repeat(5000)}`;
  test.each([
    ["a tag", "x: !!js/function 'function(){}'"],
    ["a duplicate key", "timeout_ms: 1\ntimeout_ms: 2"],
    [
      "aliases that grow",
      "a: &a [1,1,1,1,1,1,1,1,1]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c]\ne: [*d,*d,*d,*d,*d,*d,*d,*d,*d]",
    ],
    ["deep nesting", `x: ${deep}`],
    [
      "a schema that refers to itself from outside",
      "input: { type: object, properties: { a: { $ref: 'http://127.0.0.1/x' } } }",
    ],
  ])("SB06 %s is an error with a place, and the other files load", async (_, head) => {
    const { executor, source } = await openProject({
      ".toolweave/tools/bad.md": toolFile(body("return 1"), head),
      ".toolweave/tools/good.md": toolFile(body("return 1")),
    });
    expect(executor.toolset.get("good")).toBeDefined();
    const problems = [...source.findings, ...executor.registry.problems];
    expect(JSON.stringify(problems)).toContain("bad");
  });

  test("SB06 a key __proto__ changes nothing", async () => {
    const { executor } = await openProject({
      ".toolweave/tools/work.md": toolFile(body("return 1"), "__proto__: { polluted: true }"),
    });
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
    expect((await executor.execute({ id: "1", name: "work", arguments: {} })).ok).toBe(true);
  });
});

describe("SB07 what differs from run to run comes from the host alone", () => {
  test("SB07 variables that the host does not name are not there", async () => {
    expect((await run(body('return env.get("PATH", "none")'))).result?.value).toBe("none");
    for (const name of ["os", "sys", "open", "input", "globals", "eval", "exec_", "import"])
      await expect(run(body(`return ${name}`))).resolves.toMatchObject({ ok: false });
  });

  test("SB07 time, chance and ids are written to the journal: a run that continues has the same ones", async () => {
    const pay = defineTool({
      name: "pay",
      description: "Pay.",
      input: { type: "object" },
      needsApproval: true,
      execute: () => ({ paid: true }),
    });
    const { executor } = await openProject(
      {
        ".toolweave/tools/work.md": toolFile(`
def run(args):
    before = [time.now(), random.float(), uuid.v4()]
    meta.call_tool("pay", {"id": str(before)})
    return before
`),
      },
      { others: [pay], executor: { policy: "supervised" } },
    );
    const first = await executor.execute({ id: "1", name: "work", arguments: {} });
    if (first.status !== "interrupted") throw new Error("not interrupted");
    const [request] = first.interruption.requests;
    const approved = request?.type === "approval" ? request.call?.arguments : undefined;
    const outcome = await executor.resume(first.interruption, [{ type: "approve" }]);
    if (!outcome.ok) throw new Error("failed");
    const [now, chance, id] = outcome.result.value as [number, number, string];
    const sent = (approved as { id: string }).id;
    for (const part of [String(now), id, String(chance).slice(0, 10)]) expect(sent).toContain(part);
  });
});

describe("SB08 to SB10", () => {
  test("SB08 keys such as __proto__ in a result are plain members", async () => {
    const outcome = await run(
      body('return {"__proto__": {"polluted": 1}, "toString": 2, "constructor": 3}'),
    );
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
    expect(outcome.result?.content).toEqual([
      { type: "text", text: '{"__proto__":{"polluted":1},"toString":2,"constructor":3}' },
    ]);
  });

  test("SB09 an error has the places of the script, and no path or stack of the host", async () => {
    const outcome = await run(body("return fs.read('missing.txt')"));
    const text = JSON.stringify([outcome.result, outcome.error?.message]);
    expect(text).toContain(".toolweave/tools/work.md:4:");
    expect(text).not.toMatch(/node_modules|\.ts:\d|at \w+ \(|\/tmp\/|\/work\//);
  });

  test.each([
    ["a width", 'return "%1000000000s" % "x"'],
    ["padding", 'return string.pad_left("x", 1000000000)'],
    ["repetition", 'return "x" * 2000000000'],
    ["a regular expression", 'return re.search("(a|aa)+$", "a" * 200000 + "b")'],
    ["a template", 'return template.render("{{a}}" * 10, {"a": "x" * 9000000})'],
    ["a list", "return list(range(1 << 40))"],
    ["JSON", 'return json.decode("[" * 100000)'],
    ["an int", "return 1 << (1 << 20)"],
  ])("SB10 %s is bounded", async (_, line) => {
    const outcome = await run(body(line), "", {
      executor: { policy: "autonomous", timeoutMs: 20_000 },
    });
    expect(outcome.ok ? "bounded" : outcome.error?.code).toMatch(
      /bounded|execution_failed|limit_exceeded|timeout/,
    );
  });
});
