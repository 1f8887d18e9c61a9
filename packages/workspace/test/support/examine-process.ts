// Prints which levels of isolation hold for the user and the namespaces of this process, as JSON.
import { chooseSandbox, examineLevels } from "../../src/sandbox/choose-sandbox.ts";

/** The answer of the process. */
export interface Examination {
  readonly levels: readonly {
    readonly level: string;
    readonly holds: boolean;
    readonly reason?: string;
  }[];
  /** The level that `auto` chooses. */
  readonly auto: string;
  /** The level that `required` chooses, or its error. */
  readonly required: string;
}

const [, , hidden = ""] = process.argv;
const parts = {
  view: () => ({ roots: [], protectedPaths: [], hiddenPaths: [], readPaths: [] }),
  ...(hidden.includes("bwrap") ? { bubblewrap: null } : {}),
  ...(hidden.includes("perl") ? { perl: null } : {}),
};
const levels = await examineLevels(parts);
const { sandbox } = await chooseSandbox("auto", parts);
const required = await chooseSandbox("required", parts).then(
  (chosen) => chosen.sandbox.level,
  (error: unknown) => (error as Error).message,
);
const examination: Examination = { levels, auto: sandbox.level, required };
console.log(JSON.stringify(examination));
