import { Interrupt, rejectOnInterrupt, type CliIo } from "../../process/cli-io.ts";
import { UsageError } from "../../process/exit-code.ts";
import { canPrompt, isYes, withQuestions } from "../../prompt/questions.ts";

/** The options of commands that ask before they write. */
export interface ConfirmOptions {
  readonly yes?: boolean;
  readonly json?: boolean;
}

/** True when the command may ask: on a terminal, and not with `--yes` or `--json`. */
export function mayAsk(io: CliIo, { yes = false, json = false }: ConfirmOptions): boolean {
  return !yes && !json && canPrompt(io);
}

/**
 * Asks for agreement to a change. `--yes` agrees.
 *
 * @throws UsageError if there is neither a terminal nor `--yes`.
 */
export async function confirm(
  question: string,
  io: CliIo,
  options: ConfirmOptions,
): Promise<boolean> {
  if (options.yes === true) return true;
  if (!mayAsk(io, options)) {
    throw new UsageError("Nothing was changed: add --yes, or run the command in a terminal.");
  }
  return isYes(await ask(`${question} [y/N] `, io));
}

/** The trimmed answer to a question. The end of the input interrupts the command. */
export async function ask(question: string, io: CliIo): Promise<string> {
  const typed = await rejectOnInterrupt(
    withQuestions(io, (put) => put(question)),
    io.signal,
  );
  if (typed === undefined) throw new Interrupt();
  return typed.trim();
}
