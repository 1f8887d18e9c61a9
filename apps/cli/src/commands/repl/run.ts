import type { CliIo } from "../../process/cli-io.ts";
import { UsageError } from "../../process/exit-code.ts";
import type { Output } from "../../process/output.ts";
import { promptApprover } from "../../prompt/ask-for-approval.ts";
import type { RemedyPlaces } from "../../render/remedy.ts";
import { openReach, type ReachOptions } from "./reach.ts";
import { isTerminal, Repl } from "./repl.ts";

/** The options of `toolweave repl`. */
export interface ReplOptions extends ReachOptions {
  readonly allow?: boolean;
}

/** `toolweave repl`: runs inputs one after the other. */
export async function repl(
  artifact: string | undefined,
  { allow = false, ...options }: ReplOptions,
  io: CliIo,
  output: Output,
): Promise<number> {
  if (!allow && (options.policy ?? options.config) !== undefined)
    throw new UsageError("--policy and --config decide on effects: add --allow.");
  let made: Repl | undefined;
  const onAsk = (places: RemedyPlaces | undefined) =>
    isTerminal(io)
      ? promptApprover(io, places, (_, conversation) =>
          conversation(async (prompt) => made?.question(prompt)),
        )
      : ("interrupt" as const);
  // The question of trust comes first: it reads stdin itself.
  const reach = allow ? await openReach(options, onAsk, io, output) : undefined;
  try {
    made = new Repl(reach, io, output);
    if (artifact !== undefined) await made.load(artifact);
    return await made.run();
  } finally {
    made?.close();
    await reach?.close();
  }
}
