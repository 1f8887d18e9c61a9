import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ToolExecutor, ToolRegistry } from "@toolweave/core";
import { expect, test } from "vitest";
import { analyzeCommand, workspaceTools, zeroClawPolicy } from "../src/index.ts";

const folder = join(import.meta.dirname, "../../../../shared/judges");

function readRows(name: string): readonly (readonly string[])[] {
  const [, ...lines] = readFileSync(join(folder, name), "utf8").trimEnd().split("\n");
  return lines.map((line) => line.split("\t"));
}

/** Whether a script runs without approval under `workspacePolicy()`. */
function runsAtOnce(script: string): boolean {
  const { isKnown, risk, commands } = analyzeCommand(script);
  const readsOutside = commands.some(({ paths }) => paths.some(({ path }) => path.startsWith("/")));
  return isKnown && risk === "low" && !readsOutside;
}

/** The text of a literal of Rust or TypeScript; undefined: another form. */
function parseText(literal: string): string | undefined {
  const raw = /^r#?"([\s\S]*)"#?$/.exec(literal)?.[1];
  if (raw !== undefined) return raw;
  const single = /^'([\s\S]*)'$/.exec(literal)?.[1];
  if (single !== undefined) return single.replace(/\\(.)/g, "$1");
  try {
    return JSON.parse(literal.replaceAll("\\'", "'")) as string;
  } catch {
    return undefined;
  }
}

/** Settings of a test that forbid every command, or all but a list; and scripts without a command. */
const ofSettings = /readonly|allowlist|empty_command/;

test("no command runs at once that ZeroClaw's tests refuse", () => {
  let asked = 0;
  const weaker = readRows("zeroclaw-policy.tsv").flatMap(
    ([name = "", check = "", input = "", expected]) => {
      if (!/is_command_allowed|validate_command/.test(check) || ofSettings.test(name)) return [];
      const script = parseText(input);
      if (script === undefined) return [];
      asked += 1;
      return expected === "false" && runsAtOnce(script) ? [{ name, script }] : [];
    },
  );
  expect(weaker).toEqual([]);
  expect(asked).toBeGreaterThan(150);
});

test("the preset for ZeroClaw's settings allows no command that its tests refuse", async () => {
  const root = mkdtempSync(join(tmpdir(), "toolweave-judges-"));
  const registry = new ToolRegistry([workspaceTools({ root, sandbox: "none" })]);
  const executor = new ToolExecutor({ registry, ...zeroClawPolicy() });
  const weaker: string[] = [];
  const counts = { refused: 0, allowed: 0, stricter: 0 };
  for (const [name = "", check = "", input = "", expected] of readRows("zeroclaw-policy.tsv")) {
    const script = parseText(input);
    const isAsked = check === "is_command_allowed" || check === "forbidden_path_argument";
    if (!isAsked || script === undefined || script === "" || ofSettings.test(name)) continue;
    const { effect } = await executor.explain({ name: "bash", arguments: { command: script } });
    const isRefused = check === "is_command_allowed" ? expected === "false" : expected !== "None";
    if (isRefused) counts.refused += 1;
    else if (effect === "deny") counts.stricter += 1;
    else counts.allowed += 1;
    if (isRefused && effect === "allow") weaker.push(script);
  }
  await registry.close();
  rmSync(root, { recursive: true });
  expect(weaker).toEqual([]);
  expect(counts.refused).toBeGreaterThan(100);
  expect(counts.allowed).toBeGreaterThan(20);
});

test("no command that Gemini CLI's tests do not allow runs at once if it is not harmless", () => {
  let asked = 0;
  const weaker = readRows("gemini-shell.tsv").flatMap(([name = "", input = "", expected = ""]) => {
    const script = parseText(input);
    if (script === undefined || expected.includes("ALLOW")) return [];
    asked += 1;
    return runsAtOnce(script) ? [{ name, script }] : [];
  });
  // Their tests allow only `echo`: these commands only read.
  expect(weaker.map(({ script }) => script)).toEqual([
    "echo hi && ls",
    "false || ls",
    "echo hi; ls",
    'echo hi | grep "hi"',
  ]);
  expect(asked).toBeGreaterThan(20);
});

test("at least 95 % of the commands that people look up are understood", () => {
  const scripts = readRows("tldr-commands.tsv").map(([, script = ""]) => script);
  const known = scripts.filter((script) => analyzeCommand(script).isKnown).length;
  expect(known / scripts.length).toBeGreaterThan(0.95);
  expect(scripts).toHaveLength(4_000);
});
