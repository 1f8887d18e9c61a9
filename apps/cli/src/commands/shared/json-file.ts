import { readFileSync } from "node:fs";
import type { JsonObject, JsonValue } from "@toolweave/core";
import {
  applyEdits,
  createScanner,
  findNodeAtLocation,
  modify,
  parse,
  parseTree,
  printParseErrorCode,
  type JSONPath,
  type Node,
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
 * The text with another value at a path. Comments, order and formatting of everything else remain: the edits of
 * `jsonc-parser` would format the member before a new one, too.
 *
 * @param path keys; -1 as the last one appends to an array.
 * @param value undefined: the member is removed.
 */
export function withJsonValue(text: string, path: JSONPath, value: JsonValue | undefined): string {
  const plain = withoutMark(text);
  const mark = text.slice(0, text.length - plain.length);
  const base = plain.trim() === "" ? "{}\n" : plain;
  if (value === undefined) return mark + withoutMember(base, path);
  let node = parseTree(base, [], { allowTrailingComma: true });
  for (const [index, key] of path.entries()) {
    if (node === undefined) break;
    const next = key === -1 ? undefined : findNodeAtLocation(node, [key]);
    if (next === undefined) {
      const rest = path
        .slice(index + 1)
        .reduceRight<JsonValue>((inner, each) => ({ [each]: inner }), value);
      return mark + withMember(base, node, key === -1 ? undefined : String(key), rest);
    }
    node = next;
  }
  if (node === undefined) return text;
  const { offset, length } = node;
  const written = formatJson(value, lineIndent(base, offset), base);
  return mark + base.slice(0, offset) + written + base.slice(offset + length);
}

/** The text with one more member at the end of an object or array: `key` is undefined for an array. */
function withMember(text: string, parent: Node, key: string | undefined, value: JsonValue): string {
  const open = parent.offset + 1;
  const close = parent.offset + parent.length - 1;
  const last = parent.children?.at(-1);
  const name = key === undefined ? "" : `${JSON.stringify(key)}: `;
  const before = text.slice(0, close).trimEnd();
  const outer = lineIndent(text, parent.offset);
  if (last !== undefined && !text.slice(open, close).includes("\n")) {
    const space = text.slice(before.length, close);
    const comma = endsWithComma(text, last, close) ? "" : ",";
    return `${before}${comma} ${name}${JSON.stringify(value)}${space}${text.slice(close)}`;
  }
  const end = lineEnd(text);
  const inner = last === undefined ? outer + indentUnit(text) : lineIndent(text, last.offset);
  const member = `${end}${inner}${name}${formatJson(value, inner, text)}`;
  const tail = `${end}${outer}${text.slice(close)}`;
  if (last === undefined) return `${before}${member}${tail}`;
  const lastEnd = last.offset + last.length;
  const between = before.slice(lastEnd);
  return endsWithComma(text, last, close)
    ? `${before}${member},${tail}`
    : `${before.slice(0, lastEnd)},${between}${member}${tail}`;
}

/** The text without a member: its lines go, and comments of other lines remain. */
function withoutMember(text: string, path: JSONPath): string {
  const root = parseTree(text, [], { allowTrailingComma: true });
  const member = root && findNodeAtLocation(root, path)?.parent;
  if (member?.type !== "property" || member.parent === undefined) return text;
  const lineStart = text.lastIndexOf("\n", member.offset - 1);
  const isAlone = lineStart !== -1 && text.slice(lineStart, member.offset).trim() === "";
  if (!isAlone) return applyEdits(text, modify(text, path, undefined, {}));
  const siblings = member.parent.children ?? [];
  const close = member.parent.offset + member.parent.length - 1;
  const end = commaEnd(text, member, close) ?? member.offset + member.length;
  const start = text[lineStart - 1] === "\r" ? lineStart - 1 : lineStart;
  const rest = text.slice(0, start) + text.slice(end);
  const previous = siblings[siblings.indexOf(member) - 1];
  // The comma before it is one too many, unless another member follows or the text has such commas.
  const isTrailing = member === siblings.at(-1) && !endsWithComma(text, member, close);
  const comma = previous === undefined ? undefined : commaEnd(text, previous, close);
  if (!isTrailing || comma === undefined) return rest;
  return rest.slice(0, comma - 1) + rest.slice(comma);
}

/** True if a comma, which comments may precede, stands behind a member. */
function endsWithComma(text: string, member: Node, close: number): boolean {
  return commaEnd(text, member, close) !== undefined;
}

/** The offset behind the comma that follows a member; undefined: there is none. */
function commaEnd(text: string, member: Node, close: number): number | undefined {
  const end = member.offset + member.length;
  const scanner = createScanner(text.slice(end, close), true);
  return scanner.scan() === commaToken ? end + scanner.getTokenOffset() + 1 : undefined;
}

/** `SyntaxKind.CommaToken`: a const enum, which cannot be imported. */
const commaToken = 5;

function formatJson(value: JsonValue, indent: string, text: string): string {
  const written = JSON.stringify(value, null, indentUnit(text));
  return written.replaceAll("\n", lineEnd(text) + indent);
}

/** The white space at the start of the line in which something stands. */
function lineIndent(text: string, offset: number): string {
  const start = text.lastIndexOf("\n", offset - 1) + 1;
  return /^[ \t]*/.exec(text.slice(start, offset))?.[0] ?? "";
}

function indentUnit(text: string): string {
  return /^[ \t]+(?=["{[/])/m.exec(text)?.[0] ?? "  ";
}

function lineEnd(text: string): string {
  return text.includes("\r\n") ? "\r\n" : "\n";
}

/** Without the byte order mark. */
function withoutMark(text: string): string {
  return text.replace(/^\uFEFF/, "");
}
