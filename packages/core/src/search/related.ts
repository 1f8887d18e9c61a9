import { meanings, subjects } from "./related-words.ts";
import { stem } from "./stem.ts";

/** How much a related word counts beside the word itself. */
const weights = { meaning: 0.6, subject: 0.3 } as const;

interface Row {
  readonly weight: number;
  readonly stems: readonly string[];
}

/** The rows by stem. Made when first needed: an index that only holds tools needs none. */
let rows: ReadonlyMap<string, readonly Row[]> | undefined;

function readRows(): ReadonlyMap<string, readonly Row[]> {
  const all = new Map<string, Row[]>();
  const read = (table: string, weight: number): void => {
    for (const line of table.trim().split("\n")) {
      const stems = Array.from(new Set(line.split(" ").map(stem)));
      const row = { weight, stems };
      for (const one of stems) all.set(one, [...(all.get(one) ?? []), row]);
    }
  };
  read(meanings, weights.meaning);
  read(subjects, weights.subject);
  return all;
}

/**
 * Calls `each` with every stem that is related to `word`, itself a stem; with some more than once, the closest first.
 */
export function forRelated(word: string, each: (stem: string, weight: number) => void): void {
  rows ??= readRows();
  for (const { weight, stems } of rows.get(word) ?? []) {
    for (const stem of stems) if (stem !== word) each(stem, weight);
  }
}
