import type { Tool } from "@toolweave/core";
import type { Find } from "./questions.ts";

const k1 = 1.2;
const b = 0.75;
/** The stop words of Snowball's English stemmer: https://snowballstem.org/algorithms/english/stop.txt */
const stopWords = new Set(
  `i me my myself we our ours ourselves you your yours yourself yourselves he him his himself she her
  hers herself it its itself they them their theirs themselves what which who whom this that these
  those am is are was were be been being have has had having do does did doing would should could
  ought m re s ve d ll t isn aren wasn weren hasn haven hadn doesn don didn won wouldn shan shouldn can
  cannot couldn mustn let a an the and but if or because as until while of at by for with about against
  between into through during before after above below to from up down in out on off over under again
  further then once here there when where why how all any both each few more most other some such no
  nor not only own same so than too very`.split(/\s+/),
);

/** English words without the commonest endings: -s, -ies, -ing, -ed, -e. */
export function lightStem(word: string): string {
  if (word.length < 4) return word;
  const one = word.replace(/(?<=..)ies$/, "y").replace(/(?<=[^us])s$/, "");
  return one.replace(/(?<=[aeiouy].*[^aeiouy])(?:ing|ed)$/, "").replace(/e$/, "");
}

/** The words of a text, names taken apart. */
export function plainWords(text: string): readonly string[] {
  return (
    text
      .replace(/([a-z0-9])([A-Z])|([A-Z])(?=[A-Z][a-z])/g, "$1$3 $2")
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  );
}

function splitTerms(text: string): readonly string[] {
  return plainWords(text)
    .filter((word) => !stopWords.has(word))
    .map(lightStem);
}

/** Textbook BM25 over name (twice), title and description, to compare with. */
export function plainBm25(tools: readonly Tool[]): Find {
  const texts = tools.map(({ spec: { name, title, description } }) =>
    splitTerms(`${name} ${name} ${title ?? ""} ${description}`),
  );
  const average = texts.reduce((sum, { length }) => sum + length, 0) / texts.length;
  const postings = new Map<string, Map<number, number>>();
  for (const [index, terms] of texts.entries()) {
    for (const term of terms) {
      const counts = postings.get(term) ?? new Map<number, number>();
      postings.set(term, counts.set(index, (counts.get(index) ?? 0) + 1));
    }
  }
  return (text, limit) => {
    const scores = new Map<number, number>();
    for (const term of splitTerms(text)) {
      const counts = postings.get(term) ?? new Map<number, number>();
      const idf = Math.log(1 + (texts.length - counts.size + 0.5) / (counts.size + 0.5));
      for (const [index, count] of counts) {
        const length = (texts[index] ?? []).length / average;
        const score = (idf * count * (k1 + 1)) / (count + k1 * (1 - b + b * length));
        scores.set(index, (scores.get(index) ?? 0) + score);
      }
    }
    return Array.from(scores)
      .map(([index, score]) => ({ name: tools[index]?.spec.name ?? "", score }))
      .sort((one, other) => other.score - one.score || (one.name < other.name ? -1 : 1))
      .slice(0, limit)
      .map(({ name }) => name);
  };
}
