import type { Question } from "../corpus/search/questions.ts";

/** A number of the questions; the same ones for the same seed (mulberry32). */
export function sampleQuestions(
  questions: readonly Question[],
  count: number,
  seed: number,
): readonly Question[] {
  let state = seed;
  const random = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return questions
    .map((question) => ({ question, place: random() }))
    .sort((a, b) => a.place - b.place)
    .slice(0, count)
    .map(({ question }) => question);
}
