/** What the page must say of a code. */
export interface CodeFacts {
  readonly retryable: boolean;
  readonly audience: string;
}

const columns = ["code", "retryable", "audience", "meaning", "what to do"];

function splitCells(line: string): string[] {
  return line
    .trim()
    .replace(/^\||\|$/g, "")
    .split("|")
    .map((cell) => cell.trim());
}

/** Holds the table of docs/reference/errors.md and the codes together; each problem names the line. */
export function errorsPageProblems(
  page: string,
  file: string,
  codes: Readonly<Record<string, CodeFacts>>,
): string[] {
  const lines = page.split("\n");
  const start = lines.findIndex((line) => splitCells(line).join() === columns.join());
  if (start === -1) return [`${file}: there is no table with the columns ${columns.join(" | ")}`];
  const problems: string[] = [];
  const seen = new Set<string>();
  for (let index = start + 2; lines[index]?.trim().startsWith("|") === true; index++) {
    const at = `${file}:${index + 1}`;
    const [name = "", retryable, audience, meaning, todo] = splitCells(lines[index]!);
    const code = name.replaceAll("`", "");
    const facts = Object.hasOwn(codes, code) ? codes[code] : undefined;
    if (seen.has(code)) problems.push(`${at}: ${code} stands in the table twice`);
    seen.add(code);
    if (facts === undefined) {
      problems.push(`${at}: ${code} is not a code of errorCodes: remove the row`);
      continue;
    }
    const expected = facts.retryable ? "yes" : "no";
    if (retryable !== expected)
      problems.push(`${at}: ${code} is retryable: ${expected}, not ${retryable}`);
    if (audience !== facts.audience) {
      problems.push(`${at}: the audience of ${code} is ${facts.audience}, not ${audience}`);
    }
    if (!meaning || !todo) problems.push(`${at}: ${code} needs a meaning and what to do`);
  }
  for (const code of Object.keys(codes)) {
    if (!seen.has(code)) problems.push(`${file}: ${code} is missing: add a row for it`);
  }
  return problems;
}
