import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { SavedTable } from "../../bench/lib/table.ts";
import { formatPage } from "../lib/format-page.ts";
import { performancePage } from "../lib/performance-page.ts";
import { problemsResult, type Step } from "../lib/step.ts";

/** Relative to the root. */
export const performancePagePath = "docs/reference/performance.md";

/** The results that the page shows, in its order. */
const names = [
  "calls",
  "registry",
  "documents",
  "openapi-calls",
  "mcp-calls",
  "mcp-connect",
  "gateway",
  "start",
  "workspace",
  "workspace-edits",
  "s3-artifacts",
  "web-pages",
  "scripts",
  "starlark",
  "starlark-bounds",
  "postgres",
  "studio",
];

/** The page as it has to be, formatted. */
export function currentPerformancePage(root: string): Promise<string> {
  const tables = names.map((name) => {
    const text = readFileSync(join(root, "bench/results", `${name}.json`), "utf8");
    return JSON.parse(text) as SavedTable;
  });
  return formatPage(root, performancePage(tables));
}

/** docs/reference/performance.md against the saved results of the benchmarks. */
export const performancePageStep: Step = {
  name: "performance-page",
  summary: `${performancePagePath} shows the saved results of the benchmarks`,
  async run({ root }) {
    const page = readFileSync(join(root, performancePagePath), "utf8");
    const isCurrent = page === (await currentPerformancePage(root));
    const problems = isCurrent ? [] : ["It is out of date: node scripts/performance-page.ts"];
    return problemsResult(problems, `${names.length} benchmarks`);
  },
};
