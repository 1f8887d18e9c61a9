import type { CliIo } from "../../process/cli-io.ts";
import type { Output } from "../../process/output.ts";

/** The context of a command; `end` takes its exit code. */
export interface CommandContext {
  readonly io: CliIo;
  readonly output: Output;
  readonly end: (code: number) => void;
}
