import type { ToolRow } from "@toolweave/console";

/** The choice of a person in the list of tools. Empty members choose everything. */
export interface ToolFilter {
  readonly query: string;
  readonly source: string;
  readonly effect: string;
  readonly state: string;
}

/** A tool with the texts that a search reads, made once. */
interface IndexedTool {
  readonly row: ToolRow;
  readonly name: string;
  readonly text: string;
}

/** All tools, prepared for searches at each keystroke. */
export interface ToolIndex {
  readonly tools: readonly IndexedTool[];
  /** The sources with their numbers of tools, in the order of their names. */
  readonly sources: readonly (readonly [string, number])[];
}

/** Prepares tools for searches. */
export function indexTools(rows: readonly ToolRow[]): ToolIndex {
  const counts = new Map<string, number>();
  for (const { source } of rows) counts.set(source, (counts.get(source) ?? 0) + 1);
  return {
    tools: rows.map((row) => {
      const name = row.name.toLowerCase();
      return { row, name, text: `${name}\n${row.title ?? ""}\n${row.line}`.toLowerCase() };
    }),
    sources: [...counts].sort(([a], [b]) => (a < b ? -1 : 1)),
  };
}

/**
 * The tools that have every word of the query in their name, title or first line: names that begin with the query come
 * first, then names that contain its words, then the others, each in the order of the list.
 */
export function filterTools({ tools }: ToolIndex, filter: ToolFilter): readonly ToolRow[] {
  const { source, effect, state } = filter;
  const query = filter.query.trim().toLowerCase();
  const words = query.split(/\s+/).filter(Boolean);
  const starts: ToolRow[] = [];
  const names: ToolRow[] = [];
  const others: ToolRow[] = [];
  for (const { row, name, text } of tools) {
    if (source !== "" && row.source !== source) continue;
    if (effect !== "" && row.effect !== effect) continue;
    if (state === "available" && row.unavailable !== undefined) continue;
    if (state === "unavailable" && row.unavailable === undefined) continue;
    if (!words.every((word) => text.includes(word))) continue;
    if (query !== "" && name.startsWith(query)) starts.push(row);
    else if (words.every((word) => name.includes(word))) names.push(row);
    else others.push(row);
  }
  return starts.concat(names, others);
}
