import type { Finding } from "./finding.ts";

/** Findings by file, line, column and code, each once. */
export function sortFindings(findings: readonly Finding[]): readonly Finding[] {
  const seen = new Set<string>();
  return findings
    .filter((finding) => {
      const key = JSON.stringify([
        finding.file,
        finding.line,
        finding.column,
        finding.code,
        finding.message,
      ]);
      return !seen.has(key) && seen.add(key);
    })
    .toSorted(
      (left, right) =>
        compareText(left.file, right.file) ||
        left.line - right.line ||
        left.column - right.column ||
        compareText(left.code, right.code),
    );
}

/** Whether a finding is an error. */
export function isError({ severity }: Finding): boolean {
  return severity === "error";
}

function compareText(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}
