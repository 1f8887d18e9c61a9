/** A question, and the names of the tools that answer it. */
export interface Question {
  readonly text: string;
  readonly tools: readonly string[];
}

/** Finds the names of tools, best first. */
export type Find = (text: string, limit: number) => readonly string[];

/** Which share of the right tools is among the first five, and the first ten; in percent. */
export interface Recall {
  readonly at5: number;
  readonly at10: number;
}

/** The mean over all questions. */
export function recallOf(questions: readonly Question[], find: Find): Recall {
  let at5 = 0;
  let at10 = 0;
  for (const { text, tools } of questions) {
    const found = find(text, 10);
    const share = (some: readonly string[]): number =>
      tools.filter((tool) => some.includes(tool)).length / tools.length;
    at5 += share(found.slice(0, 5));
    at10 += share(found);
  }
  return { at5: (100 * at5) / questions.length, at10: (100 * at10) / questions.length };
}
