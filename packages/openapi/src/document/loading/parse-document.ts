import { parseYaml } from "./parse-yaml.ts";

/**
 * Parses JSON or YAML. A text that starts like JSON is parsed as JSON, and as YAML if that fails: YAML allows comments,
 * trailing commas and single quotes.
 *
 * @param tolerated called with errors that were tolerated; a part of a sentence.
 * @throws {ReadFault} it is neither.
 */
export function parseDocument(text: string, tolerated: (note: string) => void = ignore): unknown {
  const source = text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
  const first = firstCharacter(source);
  if (first === undefined) throw new ReadFault("it is empty");
  if (first === "<") {
    throw new ReadFault("it is HTML or XML, not JSON or YAML");
  }
  if (first !== "{" && first !== "[") return parseYamlOrFail(source, tolerated);
  try {
    return JSON.parse(source);
  } catch (error) {
    return (
      parseLenientJson(source, tolerated) ??
      parseYamlOrFail(source, tolerated, error as SyntaxError)
    );
  }
}

const ignore = (): void => {};

function parseLenientJson(text: string, tolerated: (note: string) => void): unknown {
  const plain = toStrictJson(text);
  if (plain === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(plain);
    tolerated("comments and trailing commas, which JSON does not allow, are ignored");
    return value;
  } catch {
    return undefined;
  }
}

// No regular expression: the engine would keep the text alive as the last one that it matched.
function firstCharacter(text: string): string | undefined {
  let index = 0;
  while (" \t\r\n".includes(text.charAt(index)) && index < text.length) index++;
  return index === text.length ? undefined : text.charAt(index);
}

// Loaded with the first YAML text: most documents are JSON. Loaded synchronously, because further files of a document
// are read synchronously.
let yaml: typeof import("js-yaml") | undefined;

function parseYamlOrFail(
  text: string,
  tolerated: (note: string) => void,
  jsonError?: SyntaxError,
): unknown {
  const { createRequire } = process.getBuiltinModule("node:module");
  yaml ??= createRequire(import.meta.url)("js-yaml") as typeof import("js-yaml");
  try {
    return parseYaml(text, yaml, tolerated);
  } catch (error) {
    const reason =
      jsonError === undefined
        ? `it is not valid YAML: ${describeYamlError(error)}`
        : `it is not valid JSON: ${describeJsonError(jsonError, text)}`;
    throw new ReadFault(reason, { cause: jsonError ?? error });
  }
}

// V8 quotes a part of the text in some messages; errors must not contain any part of a file.
function describeJsonError(error: SyntaxError, text: string): string {
  const [reason = ""] = error.message.split(/,? (?:in JSON at position|\.{3}"|")/);
  const position = /at position (\d+)/.exec(error.message)?.[1];
  if (position === undefined) return reason;
  const before = text.slice(0, Number(position)).split("\n");
  return `${reason} at line ${before.length}, column ${(before.at(-1) ?? "").length + 1}`;
}

function describeYamlError(error: unknown): string {
  const { reason, mark } = error as {
    reason?: unknown;
    mark?: { line: number; column: number };
  };
  if (typeof reason !== "string") return error instanceof Error ? error.message : "unknown error";
  return mark === undefined
    ? reason
    : `${reason} at line ${mark.line + 1}, column ${mark.column + 1}`;
}

/**
 * Blanks out comments, and commas before a closing bracket, which JSON does not allow and authors write. All other
 * characters keep their positions in the text.
 *
 * @returns undefined if the text contains neither.
 */
function toStrictJson(text: string): string | undefined {
  const blanks: [start: number, end: number][] = [];
  /** Position of a comma that is followed only by blanks and comments so far. */
  let comma = -1;
  // Strings, comments, single characters: each begins after the previous one, so that no character is read twice.
  const parts = /"[^"\\]*(?:\\[^][^"\\]*)*"?|\/\/[^\n]*|\/\*|[^\s]/g;
  for (let part = parts.exec(text); part !== null; part = parts.exec(text)) {
    const { 0: token, index } = part;
    if (token === "/*") {
      const close = text.indexOf("*/", index + 2);
      if (close === -1) break;
      parts.lastIndex = close + 2;
    }
    if (token === "/*" || token.startsWith("//")) blanks.push([index, parts.lastIndex]);
    else {
      if (comma !== -1 && /[\]}]/.test(token)) blanks.push([comma, comma + 1]);
      comma = token === "," ? index : -1;
    }
  }
  if (blanks.length === 0) return undefined;
  let plain = "";
  let from = 0;
  for (const [start, end] of blanks.toSorted(([a], [b]) => a - b)) {
    plain += text.slice(from, start) + text.slice(start, end).replace(/[^\n]/g, " ");
    from = end;
  }
  return plain + text.slice(from);
}

/** A document that can't be read or parsed; the message is the reason, and follows "Cannot read x:". */
export class ReadFault extends Error {
  override readonly name: string = "ReadFault";
}
