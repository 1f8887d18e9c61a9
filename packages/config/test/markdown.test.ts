import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { ToolExecutor, type ToolOutcome } from "@toolweave/core";
import { tempFolder } from "@toolweave/test-support/temp-folder";
import { describe, expect, onTestFinished, test } from "vitest";
import { describeConfig, loadConfig } from "@toolweave/config";

function makeProject(config: object, files: Readonly<Record<string, string>> = {}): string {
  const folder = tempFolder();
  const all = { "toolweave.json": JSON.stringify(config), ...files };
  for (const [name, text] of Object.entries(all)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return join(folder, "toolweave.json");
}

async function open(path: string, env: Readonly<Record<string, string>> = {}) {
  const config = await loadConfig(path, { env });
  onTestFinished(() => config.close());
  await config.registry.ready;
  const executor = new ToolExecutor({ registry: config.registry, ...config.executorOptions });
  const call = (name: string, args = {}): Promise<ToolOutcome> =>
    executor.execute({ id: crypto.randomUUID(), name, arguments: args });
  return { config, call };
}

const shout = `---
parameters:
  text: { type: string, required: true }
script: |
  def run(args):
      return args["text"].upper() + env.get("MARK", "?")
---
Write it in capitals.
`;
const guard = `---
event: tool.pre
script: |
  def handle(event, payload):
      return block("no shouting") if payload["name"] == "shout" else allow()
---
`;

describe("markdown files of a configuration", () => {
  test("are tools, and see only the variables that the file names", async () => {
    const path = makeProject(
      { markdown: { env: ["MARK"] } },
      { ".toolweave/tools/shout.md": shout },
    );
    const { call, config } = await open(path, { MARK: "!", OTHER: "secret" });
    expect((await call("shout", { text: "hi" })).result?.value).toBe("HI!");
    expect(config.sources.map(({ kind, name }) => [kind, name])).toEqual([
      ["markdown", "markdown"],
    ]);
  });

  test("are not read unless the configuration says so", async () => {
    const { config } = await open(makeProject({}, { ".toolweave/tools/shout.md": shout }));
    expect([...config.registry.toolset().names()]).toEqual([]);
  });

  test("have hooks, which the options of the executor contain", async () => {
    const path = makeProject(
      { markdown: true },
      { ".toolweave/tools/shout.md": shout, ".toolweave/hooks/guard.md": guard },
    );
    const { call } = await open(path);
    expect((await call("shout", { text: "hi" })).error?.message).toContain("no shouting");
  });
});

describe("scripts in the configuration itself", () => {
  test("are tools and hooks, beside modules in the same list", async () => {
    const path = makeProject({
      tools: [
        {
          name: "double",
          description: "Double it.",
          parameters: { n: { type: "number", required: true } },
          script: "def run(args):\n    return args['n'] * 2",
        },
      ],
      hooks: [
        {
          name: "limit",
          event: "tool.pre",
          script:
            "def handle(event, payload):\n    return block('too large') if payload['args']['n'] > 100 else allow()",
        },
      ],
    });
    const { call } = await open(path);
    expect((await call("double", { n: 4 })).result?.value).toBe(8);
    expect((await call("double", { n: 101 })).error?.message).toContain("too large");
  });

  test("with a fault are problems of the registry, and hide no other tool", async () => {
    const path = makeProject({
      tools: [
        { name: "bad", timeout_ms: -1, script: "def run(args): return 1" },
        { name: "good", script: "def run(args): return 1" },
      ],
    });
    const { config, call } = await open(path);
    expect((await call("good")).result?.value).toBe(1);
    expect(config.registry.problems).toMatchObject([
      { message: expect.stringContaining('tool "bad" timeout_ms must be >= 0') as string },
    ]);
  });

  test("are named when a person is asked to trust the file", () => {
    const { parts } = describeConfig(makeProject({ markdown: true }));
    expect(parts).toContainEqual(expect.objectContaining({ kind: "markdown", name: "." }));
  });
});

describe("skills of a configuration", () => {
  test("are tools that read them, and their scripts run", async () => {
    const path = makeProject(
      { skills: ["skills"] },
      {
        "skills/count/SKILL.md":
          "---\nname: count\ndescription: Count words.\n---\nUse the script.\n",
        "skills/count/scripts/words.star": "def run(args):\n    return len(args['text'].split())\n",
      },
    );
    const { call, config } = await open(path);
    expect(JSON.stringify((await call("skill__count")).result?.content)).toContain(
      "Use the script.",
    );
    expect((await call("count__words", { text: "one two" })).result?.value).toBe(2);
    expect(config.sources.map(({ kind }) => kind)).toEqual(["skills"]);
  });
});
