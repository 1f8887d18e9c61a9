import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";

const frontEnd = pathToFileURL(join(import.meta.dirname, "../src/node.ts")).href;

const broken = `
import { conformance } from ${JSON.stringify(frontEnd)};

const source = {
  id: "broken",
  ready: Promise.resolve(),
  problems: [],
  tools: () => [
    {
      spec: { name: "ping", description: "", inputSchema: { type: "object" }, annotations: { title: 7 }, provenance: { adapter: "x" } },
      invoke: () => "pong",
    },
  ],
  onChange: () => () => {},
  close: async () => console.error("closed"),
};

conformance(
  {
    name: "a broken tool",
    create: () => source,
    without: { slowCalls: "it is quick" },
    knownFailing: { "TW-SPEC-008": "issue 12" },
  },
  { seed: 42, only: ["MANIFEST", "LIFE-001", "SPEC-003", "SPEC-008", "CALL-002", "CANCEL-002", "NAME"] },
);
`;

let folder: string;
let run: { code: number; stdout: string; stderr: string };

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "conformance-"));
  const file = join(folder, "broken.test.mjs");
  await writeFile(file, broken);
  const args = ["--conditions=@toolweave/source", "--test", "--test-reporter=tap", file];
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const child = spawn(process.execPath, args, { env, stdio: ["ignore", "pipe", "pipe"] });
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "close") as Promise<[number]>,
  ]);
  run = { code, stdout, stderr };
});
afterAll(() => rm(folder, { recursive: true }));

/** The line that Node.js's runner prints for a rule. */
function line(id: string): string | undefined {
  return run.stdout
    .split("\n")
    .find((line) => / - TW-/.test(line) && line.includes(id))
    ?.trim()
    .replace(/(ok) \d+ - /, "$1 ");
}

test("a broken rule fails the run with its problem and its replay options", () => {
  expect(run.code).toBe(1);
  expect(line("TW-SPEC-003")).toBe("not ok TW-SPEC-003 The description is not blank.");
  expect(run.stdout).toContain('wrong:  "ping" has no description.');
  expect(run.stdout).toContain('replay: { seed: 42, only: ["TW-SPEC-003"] }');
});

test("a rule that does not apply is skipped with the reason", () => {
  expect(line("TW-CANCEL-002")).toMatch(/^ok TW-CANCEL-002 .* # SKIP it is quick$/);
});

test("missing declarations fail", () => {
  expect(line("TW-MANIFEST-001")).toMatch(/^not ok TW-MANIFEST-001 /);
  expect(run.stdout).toContain("The manifest does not declare samples.succeedingCalls");
  expect(line("TW-CALL-002")).toMatch(/# SKIP The manifest does not declare succeedingCalls/);
});

test("a known failure passes and is marked", () => {
  expect(line("TW-SPEC-008")).toMatch(/^ok TW-SPEC-008 .* \[known to fail: issue 12\]$/);
});

test("fulfilled rules pass, in a group for each area", () => {
  expect(line("TW-NAME-001")).toMatch(/^ok TW-NAME-001 /);
  expect(run.stdout).toContain("# Subtest: Tool names");
});

test("the shared subject is closed at the end", () => {
  expect(run.stdout + run.stderr).toContain("closed");
});
