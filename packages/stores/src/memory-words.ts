import { createHash } from "node:crypto";
import { ToolError } from "@toolweave/core";
import type { MemoryEntry } from "@toolweave/core/stores";

// The words of entries and queries. Every database has the same words in its index, and weighs them alike, so that all
// of them find the same entries in the same order.

/** Words of a query that are looked for. */
const maxTerms = 32;
/** Characters of a query that are read. */
const maxQuery = 2_000;
/** Shorter words are not looked for as the beginning of a longer one. */
const minPrefix = 4;
/** Characters of a word that are indexed: PostgreSQL accepts 2,046 bytes. */
const maxWord = 200;
/** Different words of one entry that are found. */
const maxWords = 20_000;

/** Scripts that are written without spaces: each character is a word. */
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/gu;

/**
 * The words of a text as an index has them, each once: letters and digits in the form NFKC_Casefold (The Unicode Standard,
 * section 3.13), without accents.
 */
export function toIndexedWords(text: string): readonly string[] {
  // A symbol ends a word, also one whose compatible form has letters, such as the trade mark sign.
  const visible = text.replace(/\p{S}/gu, " ").replace(/\p{Default_Ignorable_Code_Point}/gu, "");
  const spaced = visible.normalize("NFKC").replace(unspaced, " $& ");
  // Lower case alone preserves a sharp s and a dotless i, and makes a final sigma.
  const upper = spaced.toLowerCase().toUpperCase();
  const folded = upper.toLowerCase().replaceAll("\u03c2", "\u03c3");
  const words =
    folded
      .normalize("NFD")
      .replace(/\p{M}/gu, "")
      .match(/[\p{L}\p{N}]+/gu) ?? [];
  return [...new Set(words.map((word) => word.slice(0, maxWord)))].slice(0, maxWords);
}

/** The words of a query. */
export function toTerms(text: string): readonly string[] {
  return toIndexedWords(text.slice(0, maxQuery)).slice(0, maxTerms);
}

/** Whether a word of a query is also looked for as the beginning of longer ones. */
export function isPrefix(term: string): boolean {
  return term.length >= minPrefix;
}

/** Whether one of the words of an entry is what a word of a query looks for. */
export function isAnyMatch(words: readonly string[], term: string): boolean {
  return words.some((word) => (isPrefix(term) ? word.startsWith(term) : word === term));
}

/**
 * The weight of a word by the number of entries that have it: a rare word says more. A whole number, so that sums do not
 * depend on their order.
 */
export function toWeight(entries: number): number {
  return Math.round(1_000 * Math.log(1 + 10_000 / Math.max(1, entries)));
}

/**
 * Refuses texts that no database returns as they are.
 *
 * @throws ToolError `invalid_arguments` for half of a surrogate pair.
 */
export function checkEntryTexts({ key, content, category }: MemoryEntry): void {
  for (const [name, text] of Object.entries({ key, content, category })) {
    if (!/\p{Surrogate}/u.test(text)) continue;
    throw new ToolError(
      "invalid_arguments",
      `${name} has half of a character (a lone surrogate); write whole characters.`,
    );
  }
}

/** A word for an owner that no text has by chance. */
export function toOwnerWord(owner: string): string {
  return `o${createHash("sha256").update(owner).digest("hex").slice(0, 24)}`;
}
