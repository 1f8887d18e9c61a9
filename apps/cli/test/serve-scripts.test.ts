import { fileURLToPath } from "node:url";
import { ToolExecutor, ToolRegistry, type ToolOutcome } from "@toolweave/core";
import { mcpSource, type McpSource } from "@toolweave/mcp";
import { compileCache } from "@toolweave/test-support";
import { expect, onTestFinished, test } from "vitest";
import { notes } from "./support/notes.ts";
import { runCommand, runIn } from "./support/run-cli.ts";
import { tempStore } from "./support/temp-file.ts";

const main = fileURLToPath(new URL("../src/main.ts", import.meta.url));

/** A client of a gateway in a process of its own. */
async function openClient(
  args: readonly string[],
  more: object = {},
  store = tempStore(),
): Promise<McpSource> {
  const source = mcpSource({
    name: "gateway",
    prefix: false,
    command: process.execPath,
    args: ["--conditions=@toolweave/source", main, "serve", ...args],
    env: { ...compileCache, TOOLWEAVE_STORE: store },
    trustAnnotations: true,
    ...more,
  });
  onTestFinished(() => source.close());
  await source.ready;
  return source;
}

function run(source: McpSource, script: string, name = "run_script"): Promise<ToolOutcome> {
  const onAsk = (): { approved: true } => ({ approved: true });
  const executor = new ToolExecutor({ registry: new ToolRegistry([source]), onAsk });
  const args = name === "run_script" ? { script } : JSON.parse(script);
  return executor.execute({ id: "call_1", name, arguments: args });
}

function readText({ result }: ToolOutcome): string {
  return (result?.content ?? [])
    .map((block) => (block.type === "text" ? block.text : ""))
    .join("\n");
}

const listNames = (source: McpSource): readonly string[] =>
  source.tools().map(({ spec }) => spec.name);
const scriptNames = ["describe_functions", "run_script"];

test("serve --scripts lists the tools for scripts beside the tools", async () => {
  const source = await openClient(["--config", notes().config, "--scripts"]);
  expect(listNames(source)).toEqual([
    "describe_functions",
    "notes__read_notes",
    "notes__write_note",
    "read_artifact",
    "run_script",
  ]);
  const spec = source.tools().find((tool) => tool.spec.name === "run_script")?.spec;
  expect(spec?.description).toContain(
    "Functions (3):\nread_artifact\nnotes: read_notes, write_note",
  );
  const outcome = await run(source, "text = notes.read_notes()\n[text, len(text)]");
  expect(readText(outcome)).toBe('["Milk.",5]');
  const stubs = await run(source, '{"names": ["notes.*"]}', "describe_functions");
  expect(readText(stubs)).toContain("def notes.write_note(text: str");
});

test("serve --scripts=only lists them in place of the tools, which scripts call", async () => {
  const source = await openClient(["--config", notes().config, "--scripts=only"]);
  expect(listNames(source)).toEqual(["describe_functions", "read_artifact", "run_script"]);
  expect(readText(await run(source, "notes.read_notes()"))).toBe("Milk.");
});

test("serve.scripts of a configuration does the same", async () => {
  const { config: path } = notes({ serve: { scripts: "only" } });
  const source = await openClient(["--config", path]);
  expect(listNames(source).filter((name) => name !== "read_artifact")).toEqual(scriptNames);
});

test("a call in a script is approved through the client while the script waits", async () => {
  const { config, written } = notes();
  const asked: string[] = [];
  const source = await openClient(["--config", config, "--scripts"], {
    onElicitation: ({ message }: { readonly message: string }) => {
      asked.push(message);
      return { action: "accept", content: { decision: "approve" } };
    },
  });
  const outcome = await run(source, 'notes.write_note(text="Eggs")\nnotes.read_notes()');
  expect(asked).toHaveLength(1);
  expect(asked[0]).toContain("write_note");
  expect([outcome.error?.message, readText(outcome), written()]).toEqual([
    undefined,
    "Milk.",
    "Eggs\n",
  ]);
});

test("a script that waits continues in the processes of `toolweave approvals approve`", async () => {
  const { config, written } = notes();
  const store = tempStore();
  const args = ["--config", config, "--scripts", "--approvals", "out-of-band"];
  const source = await openClient(args, {}, store);
  const script =
    'x = notes.read_notes()\nnotes.write_note(text="Eggs")\nnotes.write_note(text="Tea")\n[x, 2]';
  const text = readText(await run(source, script));
  const idIn = (said: string): string => /approvals approve (\S+)/.exec(said)?.[1] ?? said;
  expect(written()).toBe("");
  const first = await runIn(store)(["approvals", "approve", idIn(text)]);
  expect(written()).toBe("Eggs\n");
  const waiting = `${first.stdout}${first.stderr}`;
  const second = await runIn(store)(["approvals", "approve", idIn(waiting)]);
  expect([second.code, second.stdout, written()]).toEqual([0, '["Milk.",2]\n', "Eggs\nTea\n"]);
});

test("under the policy readOnly, scripts only read", async () => {
  const { config, written } = notes();
  const source = await openClient(["--config", config, "--scripts", "--policy", "readOnly"]);
  expect(listNames(source)).toContain("run_script");
  expect(readText(await run(source, 'call_tool("notes__write_note", {"text": "x"})'))).toContain(
    "may not be called",
  );
  expect(written()).toBe("");
});

test("--scripts has two values", async () => {
  const { code, stderr } = await runCommand(["serve", "--scripts=all"]);
  expect([code, stderr]).toEqual([2, expect.stringContaining("beside, only")]);
});
