import { readFileSync } from "node:fs";
import { join } from "node:path";

const page = join(import.meta.dirname, "../../../../docs/concepts/lifecycle.md");
const columns =
  "stage | what happened | status | code | final event | before hooks ran | after hooks ran | limits released";

/** One exit of the pipeline, as the page lists it. */
export interface Exit {
  readonly stage: string;
  readonly what: string;
  readonly status: string;
  /** Absent: the call has not failed. */
  readonly code: string | undefined;
  readonly event: string;
  readonly beforeRan: boolean;
  readonly afterRan: boolean;
  readonly limits: string;
}

/** Names an exit: its stage, and how the call exits. */
export function exitKey({
  stage,
  status,
  code,
  event,
}: Pick<Exit, "stage" | "status" | "code" | "event">): string {
  return `${stage}: ${code ?? status}, ${event}`;
}

/**
 * Every exit of the table in `docs/concepts/lifecycle.md`; a row with several codes is several of
 * them.
 */
export function documentedExits(): readonly Exit[] {
  const lines = readFileSync(page, "utf8").split("\n");
  const head = lines.findIndex((line) => cells(line).join(" | ") === columns);
  if (head === -1)
    throw new Error(`docs/concepts/lifecycle.md has no table of these columns: ${columns}`);
  const rows: string[][] = [];
  for (const line of lines.slice(head + 2)) {
    if (!line.startsWith("|")) break;
    rows.push(cells(line));
  }
  return rows.flatMap(([stage, what, status, codes, event, before, after, limits]) =>
    readCodes(codes as string).map((code) => ({
      stage: stage as string,
      what: what as string,
      status: status as string,
      code,
      event: (event as string).replaceAll("`", ""),
      beforeRan: yesOrNo(before),
      afterRan: yesOrNo(after),
      limits: limits as string,
    })),
  );
}

function cells(line: string): string[] {
  return line
    .split("|")
    .slice(1, -1)
    .map((cell) => cell.trim());
}

function readCodes(cell: string): (string | undefined)[] {
  return cell === "" ? [undefined] : Array.from(cell.matchAll(/`([a-z_]+)`/g), ([, code]) => code);
}

function yesOrNo(cell: string | undefined): boolean {
  if (cell === "yes" || cell === "no") return cell === "yes";
  throw new Error(`docs/concepts/lifecycle.md: "${cell}" is neither yes nor no.`);
}
