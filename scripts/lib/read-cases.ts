import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { caseStates, type Case, type CaseState, type OpenCase } from "./case-coverage.ts";

/** The groups whose every case must be covered, or listed as open with what it waits for. */
export const governed: readonly string[] = [
  "approval-bypass",
  "injected-arguments",
  "schema-bombs",
  "tool-code",
  "executor-durability",
  "secrets",
  "resource-exhaustion",
  "output-and-ui",
  "openapi-document",
  "ssrf",
  "http-upstream",
  "mcp",
  "mcp-server",
  "sub-agent",
  "path-traversal-symlink",
  "shell-injection-risk",
];

/** A case with how it stands. */
export interface CaseReport {
  readonly case: Case;
  readonly state: CaseState;
  /** What an open case waits for. */
  readonly waitsFor?: string;
}

/** All cases of `test/cases`, held against the names of the workspace's tests. */
export function readCases(root: string): readonly CaseReport[] {
  const json = (name: string): unknown =>
    JSON.parse(readFileSync(join(root, "test/cases", name), "utf8"));
  const cases = [...(json("attacks.json") as Case[]), ...(json("faults.json") as Case[])];
  const open = json("open.json") as Record<string, OpenCase>;
  const files = globSync(
    ["{packages,apps,examples}/*/test/**/*.test.ts", "conformance/test/**/*.test.ts"],
    { cwd: root, exclude: (path) => path.includes("node_modules") },
  );
  const sources = files.map((file) => readFileSync(join(root, file), "utf8"));
  return caseStates(cases, sources, open).map((entry) => {
    const waitsFor = open[entry.case.id]?.waitsFor;
    return entry.state === "open" && waitsFor !== undefined ? { ...entry, waitsFor } : entry;
  });
}
