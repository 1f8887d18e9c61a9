/** A question, and the names of the tools that answer it. */
export interface Question {
  readonly text: string;
  readonly tools: readonly string[];
}

/** Finds the names of tools, best first. */
export type Find = (text: string, limit: number) => readonly string[] | Promise<readonly string[]>;

/** Which share of the right tools is among the first five, and the first ten; in percent. */
export interface Recall {
  readonly at5: number;
  readonly at10: number;
}

/** The mean over all questions. */
export async function measureRecall(questions: readonly Question[], find: Find): Promise<Recall> {
  let at5 = 0;
  let at10 = 0;
  for (const { text, tools } of questions) {
    const found = await find(text, 10);
    const share = (some: readonly string[]): number =>
      tools.filter((tool) => some.includes(tool)).length / tools.length;
    at5 += share(found.slice(0, 5));
    at10 += share(found);
  }
  return { at5: (100 * at5) / questions.length, at10: (100 * at10) / questions.length };
}

/** The number of questions of which a right tool is among the first three. */
export async function countAnswered(questions: readonly Question[], find: Find): Promise<number> {
  let count = 0;
  for (const { text, tools } of questions) {
    const found = await find(text, 3);
    if (found.some((name) => tools.includes(name))) count++;
  }
  return count;
}

/**
 * Questions that were used to tune the search, and questions that only judge it. A tool is held out if the FNV-1a hash
 * of its name is odd; a question belongs to a part if all its tools do.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9923
 */
export function splitQuestions(questions: readonly Question[]): {
  readonly tuned: readonly Question[];
  readonly heldOut: readonly Question[];
} {
  return {
    tuned: questions.filter(({ tools }) => !tools.some(isHeldOut)),
    heldOut: questions.filter(({ tools }) => tools.every(isHeldOut)),
  };
}

function isHeldOut(tool: string): boolean {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(tool)) hash = Math.imul(hash ^ byte, 0x01000193);
  return (hash & 1) === 1;
}
