import { toAction, type Action } from "./actions.ts";
import type { Postings } from "./postings.ts";
import { relatedWords, synonyms } from "./related-words.ts";
import { asWritten } from "./tool-text.ts";
import { baseStem, isAskingWord, isStopWord, withoutMarkup, splitWords } from "./words.ts";

/** Limits of a query: characters, and different words. */
const maxQueryLength = 2000;
const maxWords = 64;
/** The first words of a query, among which its verb is looked for. */
const maxVerbPlace = 4;
const askingWeight = 0.2;
/** A word that a long query repeats is no more important than this. */
const maxWordWeight = 1.5;
/** The weight, beside the stem, of a word in the same form as in the query: `lists`, `list`. */
const writtenWeight = 0.3;
/** The weight of a word that stands for one of the query. */
const relatedWeight = 0.4;
const synonymWeight = 0.8;
/** How much the score grows if the query has all words of the title. */
const titleWeight = 0.7;

interface QueryWord {
  weight: number;
  /** How the query writes it. */
  readonly forms: Set<string>;
}

/** A query as it is searched for. */
export interface Query {
  /** By stem. */
  readonly words: ReadonlyMap<string, QueryWord>;
  /** Stems that the query implies, with their weights: `my` is about the authenticated user. */
  readonly implied: ReadonlyMap<string, number>;
  readonly action: Action | undefined;
}

/** How well texts answer a query. */
export interface QueryScores {
  /** By slot. */
  readonly scores: Float64Array;
  /** The share of the query, by the weight of its words, that the text with most of them lacks: 0 to 1. */
  readonly missing: number;
}

/** Words for the user of the session. */
const whoAmI: Readonly<Record<string, number>> = {
  authenticated: 1,
  user: 1,
  whoami: 1,
  account: 0.4,
  current: 0.4,
  me: 0.4,
  get: 0.4,
};
const mine: Readonly<Record<string, number>> = { authenticated: 0.4, me: 0.4 };

/** Reads the words of a query, up to a limit. */
export function parseQuery(text: string): Query {
  const all = splitWords(withoutMarkup(text, maxQueryLength), maxQueryLength);
  const words = new Map<string, QueryWord>();
  for (const word of all) {
    if (isStopWord(word)) continue;
    const key = baseStem(word);
    const weight = isAskingWord(word) ? askingWeight : 1;
    const known = words.get(key);
    const form = key === word ? word : asWritten(word);
    if (known !== undefined) {
      known.weight = Math.min(known.weight + weight, maxWordWeight);
      known.forms.add(form);
    } else if (words.size < maxWords) {
      words.set(key, { weight, forms: new Set([form]) });
    }
  }
  const plain = all.join(" ");
  const implied = /\bwho ?am ?i\b/.test(plain)
    ? whoAmI
    : /\b(?:my|mine|myself|am i|do i)\b|\bme$/.test(plain)
      ? mine
      : {};
  return {
    words,
    implied: new Map(Object.entries(implied).map(([word, weight]) => [baseStem(word), weight])),
    action: toAction(all.slice(0, maxVerbPlace).map(baseStem)),
  };
}

/**
 * Scores each text by BM25 over the words of the query, and over related words where the text lacks the word itself: a
 * concept counts once, however many words a text has for it. Texts whose title the query names completely score higher.
 */
export function scoreQuery({ words, implied }: Query, postings: Postings): QueryScores {
  const scores = new Float64Array(postings.slots);
  const covered = new Float64Array(postings.slots);
  const matched = new Set([...words.keys(), ...implied.keys()]);
  let full = 0;
  for (const [word, { weight, forms }] of words) {
    const wordWeight = weight * postings.weight(word);
    full += wordWeight;
    postings.score(word, wordWeight, scores, covered);
    for (const form of forms) {
      postings.score(form, weight * writtenWeight * postings.weight(form), scores);
    }
    const others = weighRelated(word, weight, postings);
    if (others.size > 0) postings.scoreInstead(word, others, scores);
    for (const other of others.keys()) matched.add(other);
  }
  for (const [word, weight] of implied) {
    postings.score(word, weight * postings.weight(word), scores);
  }
  const shares = postings.titleShares(matched);
  for (let slot = 0; slot < scores.length; slot++) {
    (scores[slot] as number) *= 1 + titleWeight * (shares[slot] as number);
  }
  return { scores, missing: full > 0 ? 1 - largest(covered) / full : 0 };
}

/** The largest of numbers of 0 or more. */
export function largest(numbers: Float64Array): number {
  return numbers.reduce((max, number) => Math.max(max, number), 0);
}

/** The related words that texts have, with their weights: at most that of the word that they stand for. */
function weighRelated(
  word: string,
  weight: number,
  postings: Postings,
): ReadonlyMap<string, number> {
  const related = new Map<string, number>();
  const bound = postings.frequency(word) > 0 ? postings.weight(word) : Infinity;
  for (const [other, closeness] of (relations ??= readRelations()).get(word) ?? []) {
    if (postings.frequency(other) === 0) continue;
    related.set(other, weight * closeness * Math.min(bound, postings.weight(other)));
  }
  return related;
}

/** Related stems and their weights, by stem. Read when first needed: an index that only holds tools needs none. */
let relations: ReadonlyMap<string, ReadonlyMap<string, number>> | undefined;

function readRelations(): ReadonlyMap<string, ReadonlyMap<string, number>> {
  const all = new Map<string, Map<string, number>>();
  for (const [table, weight] of [
    [relatedWords, relatedWeight],
    [synonyms, synonymWeight],
  ] as const) {
    for (const line of table.trim().split("\n")) {
      const stems = new Set(line.split(" ").map(baseStem));
      for (const stem of stems) {
        const others = all.get(stem) ?? new Map<string, number>();
        all.set(stem, others);
        for (const other of stems) if (other !== stem) others.set(other, weight);
      }
    }
  }
  return all;
}
