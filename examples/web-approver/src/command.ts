import { join } from "node:path";
import { parseArgs, type ParseArgsOptionsConfig } from "node:util";

/** The arguments of a command. */
export interface Command {
  readonly folder: string;
  /** The other given options. */
  readonly values: Readonly<Record<string, unknown>>;
}

/** Reads the command line. Ends the process for `--help`, and for an unknown option. */
export function readCommand(usage: string, others: ParseArgsOptionsConfig): Command {
  const options = { ...others, folder: { type: "string" }, help: { type: "boolean" } } as const;
  try {
    const { values } = parseArgs({ options });
    if (values.help !== true) {
      return { folder: values.folder ?? join(import.meta.dirname, "../data"), values };
    }
  } catch {
    process.stderr.write(`${usage}\n`);
    process.exit(2);
  }
  process.stdout.write(`${usage}\n`);
  process.exit(0);
}
