import { readFileSync } from "node:fs";
import type { JsonObject, JsonValue } from "@toolweave/core";
import {
  applyEdits,
  modify,
  parse,
  printParseErrorCode,
  type JSONPath,
  type ParseError,
} from "jsonc-parser";
import { UsageError } from "../../process/exit-code.ts";
import { safeLine } from "../../render/text.ts";

/** The text of a file; undefined: there is no file. Other errors are usage errors. */
export function readTextFile(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    const { code = "unknown reason" } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return undefined;
    throw new UsageError(`${safeLine(path)} cannot be read (${code}).`, { cause: error });
  }
}

/**
 * Parses JSON with comments and trailing commas. A blank text is an empty object.
 *
 * @param path what errors call the text.
 * @throws UsageError with line and column for invalid JSON, and for anything but an object: a file that cannot be
 * understood is not changed.
 */
export function parseJsonObject(text: string, path: string): JsonObject {
  const plain = withoutMark(text);
  if (plain.trim() === "") return {};
  const errors: ParseError[] = [];
  const value = parse(plain, errors, { allowTrailingComma: true }) as JsonValue | undefined;
  const [first] = errors;
  if (first !== undefined) {
    const before = plain.slice(0, first.offset).split("\n");
    const place = `${safeLine(path)}:${before.length}:${(before.at(-1) ?? "").length + 1}`;
    const fault = printParseErrorCode(first.error)
      .replace(/(?!^)[A-Z]/g, " $&")
      .toLowerCase();
    throw new UsageError(`${place}: this is not valid JSON (${fault}). Correct the file first.`);
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new UsageError(`${safeLine(path)} does not contain a JSON object.`);
  }
  return value as JsonObject;
}

/**
 * The text with another value at a path. Comments, order, indentation and line ends of the rest remain.
 *
 * @param path keys; -1 as the last one appends to an array.
 * @param value undefined: the member is removed.
 */
export function withJsonValue(text: string, path: JSONPath, value: JsonValue | undefined): string {
  const plain = withoutMark(text);
  const mark = text.slice(0, text.length - plain.length);
  const base = plain.trim() === "" ? "{}\n" : plain;
  const [indent = "  "] = /^[ \t]+(?=["{[])/m.exec(base) ?? [];
  const edits = modify(base, path, value, {
    isArrayInsertion: path.at(-1) === -1,
    formattingOptions: {
      insertSpaces: !indent.startsWith("\t"),
      tabSize: indent.startsWith("\t") ? 1 : indent.length,
      eol: base.includes("\r\n") ? "\r\n" : "\n",
    },
  });
  return mark + applyEdits(base, edits);
}

/** Without the byte order mark. */
function withoutMark(text: string): string {
  return text.replace(/^\uFEFF/, "");
}
