import { readFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import type { JsonObject } from "@toolweave/core";
import type { CliIo } from "./cli-io.ts";
import { unlessInterrupted } from "./interrupt.ts";
import { UsageError } from "./usage-error.ts";

/**
 * The arguments of `--args`: JSON, `@file`, or `-` for stdin.
 *
 * @throws UsageError, Interrupt
 */
export async function readArgsOption(option: string, io: CliIo): Promise<JsonObject> {
  const [json, where] = await textOf(option, io);
  let value: unknown;
  try {
    // Editors put a byte order mark before a file.
    value = JSON.parse(json.replace(/^\uFEFF/, ""));
  } catch (error) {
    throw new UsageError(`${where} is not valid JSON: ${(error as Error).message}.`, {
      cause: error,
    });
  }
  if (typeof value === "object" && value !== null && !Array.isArray(value)) {
    return value as JsonObject;
  }
  throw new UsageError(`${where} must be one JSON object, such as '{"id": 7}'.`);
}

async function textOf(option: string, io: CliIo): Promise<[json: string, where: string]> {
  if (option === "-") {
    return [await unlessInterrupted(text(io.stdin), io.signal), "The input of --args -"];
  }
  if (!option.startsWith("@")) return [option, "--args"];
  const path = option.slice(1);
  try {
    return [await readFile(path, "utf8"), `--args @${path}`];
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? "unknown reason";
    throw new UsageError(`--args: the file ${path} cannot be read (${code}).`, { cause: error });
  }
}
