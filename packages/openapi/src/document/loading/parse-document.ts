import { createRequire } from "node:module";
import { plainJson } from "./lenient-json.ts";
import { ReadFault } from "./read-fault.ts";
import { parseYaml } from "./parse-yaml.ts";

/**
 * Parses JSON or YAML. What starts like JSON is parsed as JSON, and as YAML when that fails: YAML
 * allows comments, trailing commas and single quotes.
 *
 * @param tolerated hears what was read although it is wrong; a part of a sentence.
 * @throws {ReadFault} it is neither.
 */
export function parseDocument(text: string, tolerated: (note: string) => void = ignore): unknown {
  const source = text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
  const first = firstCharacter(source);
  if (first === undefined) throw new ReadFault("it is empty");
  if (first === "<") {
    throw new ReadFault("it is HTML or XML, not JSON or YAML");
  }
  if (first !== "{" && first !== "[") return yamlOrError(source, tolerated);
  try {
    return JSON.parse(source);
  } catch (error) {
    return lenientJson(source, tolerated) ?? yamlOrError(source, tolerated, error as SyntaxError);
  }
}

const ignore = (): void => {};

function lenientJson(text: string, tolerated: (note: string) => void): unknown {
  const plain = plainJson(text);
  if (plain === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(plain);
    tolerated("comments and commas that JSON does not have are left out");
    return value;
  } catch {
    return undefined;
  }
}

// No regular expression: the engine would keep the text alive as the last one it has searched.
function firstCharacter(text: string): string | undefined {
  let index = 0;
  while (" \t\r\n".includes(text.charAt(index)) && index < text.length) index++;
  return index === text.length ? undefined : text.charAt(index);
}

// Loaded when the first YAML comes: most documents are JSON, and another file of a document is
// read synchronously.
let yaml: typeof import("js-yaml") | undefined;

function yamlOrError(
  text: string,
  tolerated: (note: string) => void,
  jsonError?: SyntaxError,
): unknown {
  yaml ??= createRequire(import.meta.url)("js-yaml") as typeof import("js-yaml");
  try {
    return parseYaml(text, yaml, tolerated);
  } catch (error) {
    const reason =
      jsonError === undefined
        ? `it is not valid YAML: ${yamlReason(error)}`
        : `it is not valid JSON: ${jsonReason(jsonError, text)}`;
    throw new ReadFault(reason, { cause: jsonError ?? error });
  }
}

// V8 quotes a piece of the text in some messages; errors quote nothing of what a file holds.
function jsonReason(error: SyntaxError, text: string): string {
  const [reason = ""] = error.message.split(/,? (?:in JSON at position|\.{3}"|")/);
  const position = /at position (\d+)/.exec(error.message)?.[1];
  if (position === undefined) return reason;
  const before = text.slice(0, Number(position)).split("\n");
  return `${reason} at line ${before.length}, column ${(before.at(-1) ?? "").length + 1}`;
}

function yamlReason(error: unknown): string {
  const { reason, mark } = error as {
    reason?: unknown;
    mark?: { line: number; column: number };
  };
  if (typeof reason !== "string") return error instanceof Error ? error.message : "unknown fault";
  return mark === undefined
    ? reason
    : `${reason} at line ${mark.line + 1}, column ${mark.column + 1}`;
}
