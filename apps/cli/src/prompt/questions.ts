import { createInterface } from "node:readline/promises";
import type { CliIo } from "../process/cli-io.ts";

/** Asks a person one question; what they type is the answer, and `undefined` when they end the input. */
export type Question = (prompt: string) => Promise<string | undefined>;

/** True when a person is there to be asked: one who reads stderr and types into stdin. */
export function canPrompt({ stdin, stderr }: CliIo): boolean {
  return stdin.isTTY === true && stderr.isTTY === true;
}

/** Asks a person, as often as `conversation` has a question. It rejects on Ctrl-C. */
export async function withQuestions<T>(
  io: CliIo,
  conversation: (question: Question) => Promise<T>,
): Promise<T> {
  // A terminal in cooked mode: Ctrl-C stays the process's own.
  const lines = createInterface({ input: io.stdin, output: io.stderr, terminal: false });
  let isClosed = false;
  const ended = new Promise<undefined>((resolve) => {
    lines.once("close", () => {
      isClosed = true;
      resolve(undefined);
    });
  });
  try {
    return await conversation(async (prompt) => {
      if (isClosed) return undefined;
      const answer = lines.question(prompt, { signal: io.signal });
      const typed = await Promise.race([answer, ended]);
      // Ctrl-D leaves the cursor behind the question.
      if (typed === undefined) io.stderr.write("\n");
      return typed;
    });
  } finally {
    lines.close();
  }
}

/** Accepts only an unambiguous yes. */
export function isYes(typed: string | undefined): boolean {
  return /^\s*y(?:es)?\s*$/i.test(typed ?? "");
}
