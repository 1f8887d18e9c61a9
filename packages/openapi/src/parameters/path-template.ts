import { ToolError, type JsonObject } from "@toolweave/core";
import { type ParameterArgument, createParameterWriter } from "./serialize-parameter.ts";
import { mayMeanReserved, methodOnly } from "./reserved-names.ts";
import { OperationError } from "../document/operation.ts";
import { encodeStrict, encodeTemplateText } from "./percent-encode.ts";
import type { ParameterWriter } from "./style-writer.ts";

interface Variable {
  readonly argument: string;
  readonly write: ParameterWriter;
}

/** A segment with variables: text, variable, text, …, text. */
interface Segment {
  readonly texts: readonly string[];
  readonly variables: readonly Variable[];
}

/** A compiled path. */
export interface PathTemplate {
  /** A query in the document's path, without `?`. */
  readonly query: string;
  /** The path with a letter in place of each variable. */
  readonly example: string;
  /**
   * Expands the path for some arguments.
   *
   * @throws ToolError `invalid_arguments` for a value that is missing or empty, or that would change the path.
   */
  expand(args: JsonObject): string;
}

/**
 * Compiles a path template (OpenAPI 3.2, "Paths Object"). A `#fragment` is never sent; a `?query` precedes the query
 * parameters; a segment may contain several variables and text around them.
 */
export function compilePathTemplate(
  template: string,
  parameters: readonly ParameterArgument[],
): PathTemplate {
  const variables = new Map<string, Variable>();
  for (const { argument, parameter } of parameters) {
    if (parameter.in !== "path") continue;
    variables.set(parameter.name, { argument, write: createParameterWriter(parameter, argument) });
  }
  const { path, query } = splitTemplate(template);
  // Split at slashes outside of braces.
  const segments = (path.match(/(?:\{[^{}]*\}|[^/])+|\//g) ?? []).map((text) =>
    parseSegment(text, variables),
  );
  const parts = segments.reduce<(string | Segment)[]>((merged, part) => {
    const last = merged.at(-1);
    if (typeof part === "string" && typeof last === "string")
      merged[merged.length - 1] = last + part;
    else merged.push(part);
    return merged;
  }, []);
  return {
    query: encodeQueryText(query),
    example: parts.map((part) => (typeof part === "string" ? part : part.texts.join("x"))).join(""),
    expand(args) {
      let expanded = "";
      for (const part of parts)
        expanded += typeof part === "string" ? part : expandSegment(part, args);
      return expanded;
    },
  };
}

const plainPath = /^(?:\/(?:[\w-]+|\{[\w-]+\}))+\/?$/;

/**
 * Refuses a path template that a client or a server could interpret as a path outside of the host's `baseUrl`, or as
 * another method.
 *
 * @throws OperationError
 */
export function assertStaysBelow(template: string, pointer: string): void {
  // Nearly all paths consist of plain words and variables.
  if (plainPath.test(template)) return;
  const { path, query } = splitTemplate(template);
  for (const name of new URLSearchParams(query).keys()) {
    if (!mayMeanReserved(name, methodOnly)) continue;
    throw new OperationError("its path would override its method: `_method`", pointer);
  }
  const climbs = mayTraverse.test(path) && mayLeavePath(path);
  if (!climbs && !/\\|%(?:25)*5c/i.test(path)) return;
  throw new OperationError(
    'its path would lead outside the base path: it must not contain a segment "." or "..", a backslash or a control character, encoded ones included',
    pointer,
  );
}

function splitTemplate(template: string): { path: string; query: string } {
  const outside = template.replace(/\{[^{}]*\}/g, (variable) => "x".repeat(variable.length));
  const hash = outside.indexOf("#");
  const end = hash === -1 ? template.length : hash;
  const question = outside.slice(0, end).indexOf("?");
  const path = template.slice(0, question === -1 ? end : question);
  return {
    path: path.startsWith("/") ? path : `/${path}`,
    query: question === -1 ? "" : template.slice(question + 1, end),
  };
}

function parseSegment(text: string, known: ReadonlyMap<string, Variable>): string | Segment {
  const texts: string[] = [""];
  const variables: Variable[] = [];
  let from = 0;
  for (const { 0: braces, 1: name = "", index } of text.matchAll(/\{([^{}]*)\}/g)) {
    const variable = known.get(name);
    if (variable === undefined) continue;
    texts[texts.length - 1] = encodeTemplateText(text.slice(from, index));
    texts.push("");
    variables.push(variable);
    from = index + braces.length;
  }
  texts[texts.length - 1] = encodeTemplateText(text.slice(from));
  return variables.length === 0 ? (texts[0] as string) : { texts, variables };
}

function encodeQueryText(query: string): string {
  return query.replace(/[^!$%&()*+,\-./0-9:;=?@A-Z_a-z~]/gu, (character) =>
    encodeStrict(character),
  );
}

function expandSegment({ texts, variables }: Segment, args: JsonObject): string {
  let segment = texts[0] as string;
  for (let index = 0; index < variables.length; index++) {
    const { argument, write } = variables[index] as Variable;
    const value = Object.hasOwn(args, argument) ? args[argument] : undefined;
    const text = value === undefined ? undefined : write(value);
    if (text === undefined || text === "") {
      throw new ToolError(
        "invalid_arguments",
        `"${argument}" is part of the path and must not be empty: pass its value.`,
      );
    }
    segment += text + (texts[index + 1] as string);
  }
  if (mayTraverse.test(segment) && mayLeavePath(segment)) {
    const names = variables.map(({ argument }) => `"${argument}"`).join(" and ");
    throw new ToolError(
      "invalid_arguments",
      `${names} would lead to another path: a value in the path must not be or contain ".", ".." or a line break, including encoded ones. Pass only the plain value.`,
    );
  }
  return segment;
}

// Once a value is encoded, every dot segment and control character contains one of these.
const mayTraverse = /\.|%25|%2e|%0|%1|%7f|%c[01]|%e0%[89]|%f0%8/i;

/**
 * Matches overlong UTF-8, which encodes no character, but which old decoders read as a dot or a slash (RFC 3629 section
 * 10).
 */
const overlong = /%(?:c[01]|e0%[89]|f0%8)/i;

/**
 * Returns true if a server that decodes the segment, once or several times, could read a path segment `.` or `..` or a
 * control character in it. Some servers truncate a segment at `;` before they check it.
 */
export function mayLeavePath(segment: string): boolean {
  let text = segment;
  for (let times = 0; times < 4; times++) {
    // oxlint-disable-next-line no-control-regex
    if (/(?:^|[/\\])\.{1,2}(?:$|[/\\;])|[\u0000-\u001f\u007f]/.test(text)) return true;
    if (overlong.test(text)) return true;
    const decoded = text.replace(/%[0-7][0-9a-f]/gi, (triple) =>
      String.fromCharCode(Number.parseInt(triple.slice(1), 16)),
    );
    if (decoded === text) return false;
    text = decoded;
  }
  // Repeated encoding is never accidental.
  return true;
}
