import { readFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import type { JsonObject, JsonValue } from "@toolweave/core";
import { parseLossless } from "@toolweave/core/adapter";
import { rejectOnInterrupt, type CliIo } from "../process/cli-io.ts";
import { UsageError } from "../process/exit-code.ts";

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
  return parseJson(...(await readWritten(option, written, io)));
}

/** The text of an option that takes JSON, and what errors call it. */
async function readWritten(
  option: string,
  written: string,
  io: CliIo,
): Promise<[json: string, where: string]> {
  if (written === "-") {
    const json = await rejectOnInterrupt(text(io.stdin), io.signal);
    return [json, `The input of ${option} -`];
  }
  return written.startsWith("@")
    ? [await readText(option, written.slice(1)), `${option} ${written}`]
    : [written, option];
}

/**
 * The same, of the arguments of a call: one JSON object. An integer that no number holds is a `bigint`, which the
 * executor accepts.
 *
 * @throws UsageError, Interrupt
 */
export async function readObjectOption(
  option: string,
  written: string,
  io: CliIo,
): Promise<JsonObject> {
  const value = parseJson(...(await readWritten(option, written, io)), parseLossless);
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
  return parseJson(await readText(option, path), where);
}

async function readText(option: string, path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? "unknown reason";
    throw new UsageError(`${option}: the file ${path} cannot be read (${code}).`, { cause: error });
  }
}

function parseJson(
  json: string,
  where: string,
  parse: (text: string) => unknown = JSON.parse,
): JsonValue {
  // Editors put a byte order mark before a file.
  const text = json.replace(/^\uFEFF/, "");
  try {
    return parse(text) as JsonValue;
  } catch (error) {
    const what = (error as Error).message
      .replace(/ in JSON at position .*$/s, "")
      .replace(/^(Unexpected token '.*?'),.*$/s, "$1");
    throw new UsageError(`${where} is not valid JSON: ${what} (${jsonErrorPosition(text)}).`, {
      cause: error,
    });
  }
}

// What may stand where in JSON (RFC 8259), as far as it takes to find where a text stops being it.
const space = /[ \t\n\r]*/y;
const token =
  /[[\]{},:]|"[^"\\\u0000-\u001f]*(?:\\(?:["\\/bfnrt]|u[\da-fA-F]{4})[^"\\\u0000-\u001f]*)*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])|(?:true|false|null)(?!\w)/y;

type Expected = "value" | "value or ]" | "key" | "key or }" | ":" | ", or ]" | ", or }" | "the end";

/** Returns the position at which a text stops being JSON: `line 3, column 7`. */
export function jsonErrorPosition(text: string): string {
  const before = text.slice(0, findErrorIndex(text)).split("\n");
  return `line ${before.length}, column ${(before.at(-1) ?? "").length + 1}`;
}

function findErrorIndex(text: string): number {
  const open: ("]" | "}")[] = [];
  let expected: Expected = "value";
  let at = 0;
  for (;;) {
    at = matchEnd(space, text, at) ?? at;
    const end = matchEnd(token, text, at);
    if (end === undefined) return at;
    const next = nextExpected(text.slice(at, end), expected, open);
    if (next === undefined) return at;
    expected = next;
    at = end;
  }
}

/** Returns what may follow a token; undefined: the token is not allowed there. */
function nextExpected(
  token: string,
  expected: Expected,
  open: ("]" | "}")[],
): Expected | undefined {
  const [first = ""] = token;
  const afterValue = (): Expected => {
    const closing = open.at(-1);
    return closing === undefined ? "the end" : `, or ${closing}`;
  };
  if (first === "]" || first === "}") {
    if (!expected.endsWith(` ${first}`)) return undefined;
    open.pop();
    return afterValue();
  }
  if (first === ",") {
    if (!expected.startsWith(",")) return undefined;
    return open.at(-1) === "]" ? "value" : "key";
  }
  if (first === ":") return expected === ":" ? "value" : undefined;
  if (expected.startsWith("key")) return first === '"' ? ":" : undefined;
  if (!expected.startsWith("value")) return undefined;
  if (first !== "[" && first !== "{") return afterValue();
  open.push(first === "[" ? "]" : "}");
  return first === "[" ? "value or ]" : "key or }";
}

function matchEnd(pattern: RegExp, text: string, at: number): number | undefined {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}
