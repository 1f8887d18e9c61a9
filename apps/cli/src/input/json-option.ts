import { readFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import type { JsonObject, JsonValue } from "@toolweave/core";
import type { CliIo } from "../process/cli-io.ts";
import { UsageError } from "../process/errors.ts";
import { rejectOnInterrupt } from "../process/interrupt.ts";
import { jsonErrorPosition } from "./json-error-position.ts";

/**
 * The value of an option that takes JSON, `@file`, or `-` for stdin.
 *
 * @param option its name, for errors: `--args`.
 * @throws UsageError, Interrupt
 */
export async function readJsonOption(
  option: string,
  written: string,
  io: CliIo,
): Promise<JsonValue> {
  if (written === "-") {
    return parseJson(
      await rejectOnInterrupt(text(io.stdin), io.signal),
      `The input of ${option} -`,
    );
  }
  return written.startsWith("@")
    ? readJsonFile(option, written.slice(1), `${option} ${written}`)
    : parseJson(written, option);
}

/**
 * The same, of one JSON object.
 *
 * @throws UsageError, Interrupt
 */
export async function readObjectOption(
  option: string,
  written: string,
  io: CliIo,
): Promise<JsonObject> {
  const value = await readJsonOption(option, written, io);
  if (typeof value === "object" && value !== null && !Array.isArray(value)) {
    return value as JsonObject;
  }
  const where = written === "-" ? `The input of ${option} -` : option;
  throw new UsageError(`${where} must be one JSON object, such as '{"id": 7}'.`);
}

/**
 * The JSON in a file.
 *
 * @param where what errors call it.
 * @throws UsageError
 */
export async function readJsonFile(
  option: string,
  path: string,
  where: string,
): Promise<JsonValue> {
  let json: string;
  try {
    json = await readFile(path, "utf8");
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? "unknown reason";
    throw new UsageError(`${option}: the file ${path} cannot be read (${code}).`, { cause: error });
  }
  return parseJson(json, where);
}

function parseJson(json: string, where: string): JsonValue {
  // Editors put a byte order mark before a file.
  const text = json.replace(/^\uFEFF/, "");
  try {
    return JSON.parse(text) as JsonValue;
  } catch (error) {
    const what = (error as Error).message
      .replace(/ in JSON at position .*$/s, "")
      .replace(/^(Unexpected token '.*?'),.*$/s, "$1");
    throw new UsageError(`${where} is not valid JSON: ${what} (${jsonErrorPosition(text)}).`, {
      cause: error,
    });
  }
}
