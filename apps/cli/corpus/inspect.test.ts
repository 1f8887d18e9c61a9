import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { isFullRun } from "@toolweave/test-support";
import { documentNames, specs, uncallable } from "../../../packages/openapi/corpus/documents.ts";
import { countOperations } from "./count-operations.ts";

const cli = join(import.meta.dirname, "../src/main.ts");

interface Inspected {
  readonly tools: readonly { readonly name: string; readonly inputSchema: object }[];
  readonly problems: readonly {
    readonly subject: string;
    readonly message: string;
    readonly severity?: string;
  }[];
}

interface Row {
  readonly document: string;
  readonly operations: number;
  readonly tools: number;
  readonly lost: number;
  readonly warnings: number;
}

const rows: Row[] = [];

function inspect(path: string): { readonly status: number | null; readonly output: Inspected } {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ["--conditions=@toolweave/source", cli, "inspect", "--json", "--openapi", path],
    { encoding: "utf8", maxBuffer: 1 << 30 },
  );
  if (stdout === "") throw new Error(stderr);
  return { status, output: JSON.parse(stdout) as Inspected };
}

describe("toolweave inspect --json on real documents", () => {
  it.each(documentNames())("%s: each operation is a tool or named in problems", (name) => {
    const path = join(specs, name);
    const { status, output } = inspect(path);
    const operations = countOperations(path);
    const lost = output.problems.filter(({ severity }) => severity !== "warning");
    rows.push({
      document: name,
      operations,
      tools: output.tools.length,
      lost: lost.length,
      warnings: output.problems.length - lost.length,
    });
    expect(status).toBe(0);
    expect(new Set(output.tools.map((tool) => tool.name)).size).toBe(output.tools.length);
    expect(lost.map(({ subject }) => subject)).toEqual(uncallable[name] ?? []);
    expect(output.tools).toHaveLength(operations - lost.length);
    for (const { message } of output.problems) expect(message).not.toBe("");
  });

  it.runIf(isFullRun)("all together have 3,231 operations", () => {
    expect(rows).toHaveLength(40);
    expect(rows.reduce((sum, { operations }) => sum + operations, 0)).toBe(3231);
  });
});

afterAll(() => {
  const total = (key: "operations" | "tools" | "lost" | "warnings"): number =>
    rows.reduce((sum, row) => sum + row[key], 0);
  const lines = rows.map(({ document, operations, tools, lost, warnings }) =>
    [document.padEnd(40), operations, tools, lost, warnings].join("\t"),
  );
  process.stdout.write(
    [
      ["document".padEnd(40), "operations", "tools", "lost", "warnings"].join("\t"),
      ...lines,
      [
        "all".padEnd(40),
        total("operations"),
        total("tools"),
        total("lost"),
        total("warnings"),
      ].join("\t"),
      "",
    ].join("\n"),
  );
});
