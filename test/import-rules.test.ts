import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { binFolderOf, runCommand } from "../scripts/lib/run-command.ts";

const root = join(import.meta.dirname, "..");
const tree = mkdtempSync(join(tmpdir(), "toolweave-lint-"));
afterAll(() => rmSync(tree, { recursive: true }));

/** Every import statement of `code` on its own line, so that a line stands for a case. */
const refused: readonly [file: string, code: string][] = [
  ["packages/core/src/a.ts", 'import "@toolweave/http";'],
  ["packages/core/src/a.ts", 'import type { A } from "@toolweave/openapi";'],
  ["packages/core/src/a.ts", 'import "node:fs";'],
  ["packages/core/src/a.ts", 'export const os: Promise<unknown> = import("node:os");'],
  ["packages/core/src/a.ts", 'export { fetch } from "undici";'],
  ["packages/core/src/a.ts", 'import "../../http/src/index.ts";'],
  ["packages/core/src/deep/er/a.ts", 'import "../../../../http/src/index.ts";'],
  ["packages/core/src/a.ts", 'import "@cfworker/json-schema";'],
  ["packages/core/src/a.ts", 'import "@opentelemetry/api";'],
  ["packages/core/src/telemetry/a.ts", 'import "ajv";'],
  ["packages/core/src/telemetry/a.ts", 'import "node:fs";'],
  ["packages/core/src/diagnostics.ts", 'import "node:fs";'],
  ["packages/core/src/diagnostics.ts", 'import "@opentelemetry/api";'],
  ["packages/http/src/a.ts", 'import "@toolweave/openapi";'],
  ["packages/http/src/a.ts", 'import "toolweave";'],
  ["packages/stores/src/a.ts", 'import "@toolweave/http";'],
  ["packages/stores/src/a.ts", 'import "../../core/src/index.ts";'],
  ["packages/openapi/src/a.ts", 'import "@toolweave/ai-sdk";'],
  ["packages/openapi/src/a.ts", 'import "@toolweave/core/src/index.ts";'],
  ["packages/mcp/src/a.ts", 'import "@toolweave/openapi";'],
  ["packages/mcp/src/a.ts", 'import "@toolweave/core/src/index.ts";'],
  ["packages/config/src/a.ts", 'import "@toolweave/ai-sdk";'],
  ["packages/config/src/a.ts", 'import "toolweave";'],
  ["packages/config/src/a.ts", 'import "../../mcp/src/index.ts";'],
  ["packages/ai-sdk/src/a.ts", 'import "@toolweave/openapi";'],
  ["packages/ai-sdk/src/a.ts", 'import "@toolweave/http";'],
  ["conformance/src/a.ts", 'import "@toolweave/openapi";'],
  ["packages/openapi/test/a.test.ts", 'import "../../core/src/index.ts";'],
  ["packages/openapi/test/a.test.ts", 'import "@toolweave/core/dist/index.js";'],
  ["apps/cli/src/a.ts", 'import "../../../packages/core/src/index.ts";'],
  ["apps/cli/src/a.ts", 'import "@toolweave/openapi/src/index.ts";'],
];

const allowed: readonly [file: string, code: string][] = [
  ["packages/core/src/b.ts", 'import "ajv";'],
  ["packages/core/src/b.ts", 'import "ajv/dist/2020.js";'],
  ["packages/core/src/deep/b.ts", 'import "../names.ts";'],
  ["packages/core/src/deep/b.ts", 'import "./er/names.ts";'],
  ["packages/core/src/interpreted-validator.ts", 'import "@cfworker/json-schema";'],
  ["packages/core/src/telemetry/b.ts", 'import "@opentelemetry/api";'],
  ["packages/core/src/diagnostics.ts", 'import "node:diagnostics_channel";'],
  ["packages/core/test/b.test.ts", 'import "../src/index.ts";'],
  ["packages/core/test/b.test.ts", 'import "node:fs";'],
  ["packages/http/src/b.ts", 'import "@toolweave/core";'],
  ["packages/http/src/b.ts", 'import "undici";'],
  ["packages/stores/src/b.ts", 'import "@toolweave/core";'],
  ["packages/stores/src/b.ts", 'import "node:sqlite";'],
  ["packages/openapi/src/b.ts", 'import "@toolweave/http";'],
  ["packages/openapi/src/b.ts", 'import "@toolweave/core/interpreted-validator";'],
  ["packages/mcp/src/b.ts", 'import "@toolweave/core";'],
  ["packages/mcp/src/b.ts", 'import "@modelcontextprotocol/client";'],
  ["packages/config/src/b.ts", 'import "@toolweave/mcp";'],
  ["packages/config/src/b.ts", 'import "@toolweave/openapi";'],
  ["packages/config/src/b.ts", 'import "@toolweave/subagent";'],
  ["packages/config/src/b.ts", 'import "jsonc-parser";'],
  ["packages/ai-sdk/src/b.ts", 'import "ai";'],
  ["packages/openapi/test/b.test.ts", 'import "@toolweave/conformance";'],
  ["apps/cli/src/b.ts", 'import "@toolweave/ai-sdk";'],
  ["test/b.test.ts", 'import "../packages/core/src/index.ts";'],
];

async function refusedLines(): Promise<string[]> {
  const files = new Map<string, string[]>();
  for (const [file, code] of [...refused, ...allowed]) {
    files.set(file, [...(files.get(file) ?? []), code]);
  }
  for (const [file, lines] of files) {
    mkdirSync(dirname(join(tree, file)), { recursive: true });
    writeFileSync(join(tree, file), lines.join("\n"));
  }
  cpSync(join(root, ".oxlintrc.json"), join(tree, ".oxlintrc.json"));
  const { stdout } = await runCommand("oxlint", ["--format=unix", "--quiet", "."], {
    cwd: tree,
    binFolder: binFolderOf(root),
  });
  return stdout
    .split("\n")
    .filter((line) => line.includes("no-restricted-imports"))
    .map((line) => /^(.+?):(\d+):/.exec(line)!)
    .map(([, file, line]) => `${file} | ${files.get(file!)![Number(line) - 1]}`);
}

test("lint refuses exactly the imports that the rooms forbid", async () => {
  const lines = [...new Set(await refusedLines())].sort();
  expect(lines).toEqual(refused.map((entry) => entry.join(" | ")).sort());
});
