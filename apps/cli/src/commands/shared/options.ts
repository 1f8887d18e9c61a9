import type { Command } from "commander";
import { UsageError } from "../../process/exit-code.ts";

/** Adds the option for the configuration. */
export function withConfig(command: Command): Command {
  return command.option(
    "--config <file>",
    "a toolweave.json, or another host's file with mcpServers (default: the toolweave.json here)",
  );
}

/** Adds the options for the sources of tools. */
export function withToolOptions(command: Command): Command {
  return withApi(
    withConfig(command)
      .option("--openapi <url|file>", "an OpenAPI document; may be repeated", collect)
      .option(
        "--mcp <command|url>",
        "an MCP server: a command that starts it, or its URL; may be repeated",
        collect,
      )
      .option(
        "--tools <file>",
        "a JavaScript or TypeScript module that exports tools; its code runs; may be repeated",
        collect,
      )
      .option("--workspace <folder>", "tools for the files of a folder, and for commands in it"),
  );
}

/** The help of sources without an option, for all commands that have tools. */
export const sourceHelp =
  "URLs and files with tools: an OpenAPI document, an MCP server, a module (./tools.ts), or a configuration";

/** The same for a command on a call that was made before: each goes before what it was made with. */
export function withToolOverrides(command: Command): Command {
  return withApi(
    command
      .option(
        "--config <file>",
        "the current path of the configuration, which also has the store (default for the store: the toolweave.json here)",
      )
      .option(
        "--openapi <url|file>",
        "the current location of the OpenAPI document; may be repeated",
        collect,
      )
      .option("--mcp <command|url>", "the current command or URL of the MCP server", collect)
      .option("--tools <file>", "the current path of the module; may be repeated", collect),
  );
}

/** Adds the options for an API beside its document. */
export function withApi(command: Command): Command {
  return command
    .option("--base-url <url>", "the URL of the API, instead of the one in the document")
    .option("--header <name: value>", "a header of every request; may be repeated", collect)
    .option(
      "--auth <credentials>",
      "bearer:TOKEN, basic:USER:PASSWORD, apiKey:VALUE or apiKey:SCHEME=VALUE; may be repeated",
      collect,
    )
    .option(
      "--allow-origin <origin>",
      "allow requests to this origin although it is private; may be repeated",
      collect,
    )
    .option(
      "--allow-reference <url|path>",
      "allow $refs of the document to this location and everything below it; may be repeated",
      collect,
    )
    .option(
      "--timeout <ms>",
      "the timeout of loading and of the call; 0: none (default: 60000)",
      parseTimeout,
    );
}

/** The help of `--no-pager`, for all commands with long lists. */
export const noPagerHelp = "print a long list without $PAGER or less, which a terminal gets";

/** The help of a tool's name, and of what may stand before it. */
export const toolHelp: string = `the name of the tool, as \`toolweave inspect\` prints it; before it, its source: ${sourceHelp}`;

/** The help of the words after a tool's name, for all commands that take its arguments. */
export const argumentsHelp =
  "arguments, parsed by the schema of the tool; a.b=value sets a member of an object, a repeated key creates a list, JSON works for both; key=@file takes the content of a file, key=@@text a text that begins with @";

/** The help of `--lock-file`, for all commands that have a lock. */
export const lockFileHelp =
  "the lock file (default: toolweave.lock.json next to the configuration)";

/** The help of `--output`, for all commands that run a call. */
export const outputHelp =
  "save the result to a file: a file, image or sound unchanged, otherwise the text";

/** Adds the option for the policy. */
export function withPolicy(command: Command): Command {
  return command.option(
    "--policy <preset|file>",
    "readOnly, supervised (the default), autonomous, strict, or a file with rules",
  );
}

/** Adds the option for the store of pending calls and grants. */
export function withStore(command: Command): Command {
  return command.option(
    "--store <file|url>",
    "the store of pending calls: a file, or a postgres:// URL (default: that of the configuration, otherwise $TOOLWEAVE_STORE, otherwise a file in your state folder)",
  );
}

/** Gathers an option that may be repeated. */
export function collect(value: string, earlier: readonly string[] | undefined): readonly string[] {
  return [...(earlier ?? []), value];
}

function parseTimeout(value: string): number {
  const number = Number(value);
  if (/^\d+$/.test(value) && number <= 2_147_483_647) return number;
  throw new UsageError("--timeout must be a number of milliseconds, such as 5000.");
}

/** Parses the maximum number of results in a list. */
export function parseResultLimit(value: string): number {
  const number = Number(value);
  if (/^\d+$/.test(value) && number >= 1 && number <= 100) return number;
  throw new UsageError("--limit must be a whole number from 1 to 100.");
}

/** A whole number, 0 or more; undefined: it is none. */
function parseWholeNumber(value: string, max: number): number | undefined {
  const number = Number(value);
  return /^\d+$/.test(value) && number <= max ? number : undefined;
}

/** Parses the seed of generated inputs. */
export function parseSeed(value: string): number {
  const number = parseWholeNumber(value, 2_147_483_647);
  if (number !== undefined) return number;
  throw new UsageError("--seed must be a whole number up to 2147483647, as in a report.");
}

/** Parses the deadline of operations that must end. */
export function parseDeadline(value: string): number {
  const number = parseWholeNumber(value, 2_147_483_647);
  if (number !== undefined && number > 0) return number;
  throw new UsageError("--deadline must be a number of milliseconds, such as 30000.");
}

/** Parses the grace period of running calls when the command is stopped. */
export function parseGrace(value: string): number {
  const number = parseWholeNumber(value, 2_147_483_647);
  if (number !== undefined) return number;
  throw new UsageError("--grace must be a number of milliseconds, such as 5000.");
}
