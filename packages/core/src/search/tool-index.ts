import type { Toolset, Tool } from "../contract/tool.ts";
import { compareNames } from "../contract/tool-names.ts";
import { Postings } from "./postings.ts";
import { toolText, asWritten } from "./tool-text.ts";
import { stemmer, stem, isAskingWord, isStopWord, withoutMarkup, wordsOf } from "./words.ts";
import { meanings, subjects } from "./related-words.ts";

/** A tool that was found. */
export interface ToolMatch {
  readonly name: string;
  /** Above 0, and comparable within one search only. */
  readonly score: number;
}

interface Held {
  readonly tool: Tool;
  readonly slot: number;
}

/**
 * Finds tools by their subject, in process and without a model: BM25 over names, titles, descriptions, names of
 * parameters and provenance, with English stems, names split into words, and words of related meaning for a query that
 * does not use the tools' own. It supports only English; in other languages it finds exact words.
 *
 * It reads some thousand characters of each tool, and 2,000 of a query. The names of parameters make it realise the
 * schema of the arguments; one that cannot be read costs the tool those names only.
 *
 * @see S. Robertson and H. Zaragoza, The Probabilistic Relevance Framework: BM25 and Beyond, Foundations and Trends in
 * Information Retrieval 3 (2009), sections 3.5 and 3.6
 */
export class ToolIndex {
  #toolset: Toolset | undefined;
  readonly #held = new Map<string, Held>();
  readonly #names: string[] = [];
  readonly #postings: Postings = new Postings();

  /** How many tools are in the index. */
  get size(): number {
    return this.#held.size;
  }

  /**
   * Makes the index that of `tools`. Only what came, went or is another object than before is read;
   * with the toolset of the last time it costs nothing.
   */
  update(tools: Toolset): void {
    if (tools === this.#toolset) return;
    const gone: number[] = [];
    for (const [name, { tool, slot }] of this.#held) {
      if (tools.get(name) === tool) continue;
      gone.push(slot);
      this.#held.delete(name);
    }
    this.#postings.remove(gone);
    const stem = stemmer();
    for (const name of tools.callableNames()) {
      const tool = tools.get(name);
      if (tool === undefined || this.#held.has(name)) continue;
      const slot = this.#postings.add(toolText(name, tool, stem));
      this.#names[slot] = name;
      this.#held.set(name, { tool, slot });
    }
    this.#toolset = tools;
  }

  /**
   * The tools that a query is about, best first; equals by name. A tool whose name is the query is
   * the first.
   *
   * @param query any text; what a person or model asked for does.
   * @param limit the most to give.
   * @param keep only tools of these names are given.
   */
  search(query: string, limit: number, keep?: (name: string) => boolean): readonly ToolMatch[] {
    const most = Math.floor(limit);
    if (!(most >= 1) || this.size === 0) return [];
    const scores = scoreQuery(query, this.#postings);
    const named = this.#held.get(query.trim());
    if (named !== undefined) {
      (scores[named.slot] as number) += largest(scores) + 1;
    }
    return this.#best(scores, most, keep);
  }

  #best(scores: Float64Array, most: number, keep?: (name: string) => boolean): ToolMatch[] {
    const best: ToolMatch[] = [];
    let least = 0;
    for (let slot = 0; slot < scores.length; slot++) {
      const score = scores[slot] as number;
      if (score <= 0 || score < least) continue;
      const match = { name: this.#names[slot] as string, score };
      const last = best.length < most ? undefined : best.at(-1);
      if (last !== undefined && isBefore(last, match)) continue;
      if (keep !== undefined && !keep(match.name)) continue;
      best.splice(placeOf(match, best), 0, match);
      if (best.length > most) best.pop();
      if (best.length === most) least = (best.at(-1) as ToolMatch).score;
    }
    return best;
  }
}

function isBefore(a: ToolMatch, b: ToolMatch): boolean {
  return a.score > b.score || (a.score === b.score && compareNames(a.name, b.name) < 0);
}

/** Where it belongs in a sorted list, by halving. */
function placeOf(match: ToolMatch, sorted: readonly ToolMatch[]): number {
  let from = 0;
  let to = sorted.length;
  while (from < to) {
    const middle = (from + to) >> 1;
    if (isBefore(sorted[middle] as ToolMatch, match)) from = middle + 1;
    else to = middle;
  }
  return from;
}

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
function scoreQuery(query: string, postings: Postings): Float64Array {
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
function largest(numbers: Float64Array): number {
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
