import type { Postings } from "./postings.ts";
import { stem, isAskingWord, isStopWord, withoutMarkup, wordsOf } from "./words.ts";
import { asWritten } from "./tool-text.ts";
import { meanings, subjects } from "./related-words.ts";

/** Limits of a query: characters, and different words. */
const maxQueryLength = 2000;
const maxWords = 64;
const askingWeight = 0.3;
/** The weight, beside the stem, of a word in the same form as in the query: `lists`, `list`. */
const writtenWeight = 0.3;

interface QueryWord {
  weight: number;
  /** How the query writes it. */
  readonly forms: Set<string>;
}

/**
 * How well each text answers a query, by slot: BM25 over the query's words, and then, as far as no text has them all,
 * over words of related meaning. Thus related words do not affect a query in the words of its tool, and a query in
 * other words still finds it.
 */
export function scoreQuery(query: string, postings: Postings): Float64Array {
  const scores = new Float64Array(postings.slots);
  const covered = new Float64Array(postings.slots);
  const words = queryWords(query);
  let whole = 0;
  for (const [word, { weight, forms }] of words) {
    const full = weight * postings.weight(word);
    whole += full;
    postings.score(word, full, scores, covered);
    for (const form of forms) {
      postings.score(form, weight * writtenWeight * postings.weight(form), scores);
    }
  }
  const missing = whole > 0 ? 1 - largest(covered) / whole : 0;
  if (missing < 1e-4) return scores;
  const share = Math.sqrt(missing);
  for (const [word, weight] of relatedWords(words, postings)) {
    postings.score(word, share * weight, scores);
  }
  return scores;
}

/** The largest of numbers of 0 or more. */
export function largest(numbers: Float64Array): number {
  return numbers.reduce((most, one) => (one > most ? one : most), 0);
}

function queryWords(query: string): ReadonlyMap<string, QueryWord> {
  const words = new Map<string, QueryWord>();
  for (const word of wordsOf(withoutMarkup(query, maxQueryLength), maxQueryLength)) {
    if (isStopWord(word)) continue;
    const key = stem(word);
    const weight = isAskingWord(word) ? askingWeight : 1;
    const known = words.get(key);
    const form = key === word ? word : asWritten(word);
    if (known !== undefined) {
      known.weight += weight;
      known.forms.add(form);
    } else if (words.size < maxWords) {
      words.set(key, { weight, forms: new Set([form]) });
    }
  }
  return words;
}

/** The related words that tools may use, with their weights. None weighs more than the word that it stands for. */
function relatedWords(
  words: ReadonlyMap<string, QueryWord>,
  postings: Postings,
): ReadonlyMap<string, number> {
  const related = new Map<string, number>();
  for (const [word, { weight }] of words) {
    const bound = postings.frequency(word) > 0 ? postings.weight(word) : Infinity;
    const best = new Map<string, number>();
    const add = (other: string, closeness: number): void => {
      if (other === word || closeness <= (best.get(other) ?? 0)) return;
      if (postings.frequency(other) > 0) best.set(other, closeness);
    };
    forRelated(word, add);
    for (const [other, closeness] of best) {
      const worth = weight * closeness * Math.min(bound, postings.weight(other));
      related.set(other, (related.get(other) ?? 0) + worth);
    }
  }
  return related;
}

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
function forRelated(word: string, each: (stem: string, weight: number) => void): void {
  rows ??= readRows();
  for (const { weight, stems } of rows.get(word) ?? []) {
    for (const stem of stems) if (stem !== word) each(stem, weight);
  }
}
