import { ToolError } from "@toolweave/core";
import { findStoreFault, hasLiteralPassword, isDatabaseUrl, resolveStore } from "./database-url.ts";
import { sharedStore, type SharedStore } from "./shared-store.ts";

/**
 * Reads where data is stored from a text with references (`${NAME}`), such as the option of a command.
 *
 * @param env the variables of references, and those with the keys of a database.
 * @returns the database, or the text with its values if it is no `postgres://` URL.
 * @throws ToolError `invalid_configuration` for a variable that is not set, for an invalid URL, and for a URL with a
 * password that is no reference: other users of the machine can read the arguments of a program.
 */
export function parseStore(
  written: string,
  env: Readonly<Record<string, string | undefined>>,
): string | SharedStore {
  const given = { env, folder: process.cwd(), inputs: new Map() };
  const { text, faults, unset } = resolveStore(written, given);
  const [problem = findStoreFault(text)] = [...faults, ...unset];
  if (problem !== undefined) {
    throw new ToolError("invalid_configuration", `In the store, ${problem}.`);
  }
  if (hasLiteralPassword(written)) {
    throw new ToolError(
      "invalid_configuration",
      "The URL of the store has a password, which other users of this machine can read: write ${DB_PASSWORD} in its place, in single quotes, and set that environment variable.",
    );
  }
  return isDatabaseUrl(text) ? sharedStore(text, { written, env }) : text;
}
