import { ToolError, type JsonObject } from "@toolweave/core";
import {
  checkQueryText,
  createParameterWriter,
  type ParameterArgument,
} from "./serialize-parameter.ts";
import { createReservedKeyCheck, mayMeanReserved, methodOnly } from "./reserved-names.ts";
import { OperationError, type Parameter } from "../document/operation.ts";
import { resolveExpression, splitTemplate } from "../document/path-expressions.ts";
import { encodeStrict, encodeTemplateText } from "./percent-encode.ts";
import type { ParameterWriter } from "./style-writer.ts";
import { emptyValueError } from "./unrepresentable.ts";

interface Variable {
  readonly argument: string;
  readonly parameter: Parameter;
  readonly write: ParameterWriter;
}

/** A text with variables: text, variable, text, …, text. */
interface Segment {
  readonly texts: readonly string[];
  readonly variables: readonly Variable[];
}

/** A compiled path. */
export interface PathTemplate {
  /** The path with a letter in place of each variable. */
  readonly example: string;
  /** The query parameters that are sent where the path names them, and nowhere else. */
  readonly inQuery: ReadonlySet<Parameter>;
  /**
   * Expands the path for some arguments.
   *
   * @throws ToolError `invalid_arguments` for a value that is missing or empty, or that would change the path.
   */
  expand(args: JsonObject): string;
  /**
   * Expands the query in the document's path, without `?`.
   *
   * @throws ToolError `invalid_arguments` for a value that cannot be sent there.
   */
  expandQuery(args: JsonObject): string;
}

/**
 * Compiles a path template (OpenAPI 3.2, "Paths Object"). A `#fragment` is never sent; a `?query`, which may have
 * variables too, precedes the query parameters; a segment may contain several variables and text around them.
 *
 * @param reserved names that no key of the query may have.
 */
export function compilePathTemplate(
  template: string,
  parameters: readonly ParameterArgument[],
  reserved: ReadonlySet<string> = methodOnly,
): PathTemplate {
  const { path, query } = splitTemplate(template);
  const variables = new Map<string, Variable>();
  for (const { argument, parameter } of parameters) {
    if (parameter.in !== "path") continue;
    const write = createParameterWriter(parameter, argument);
    variables.set(parameter.name, { argument, parameter, write });
  }
  // Split at slashes outside of braces.
  const segments = (path.match(/(?:\{[^{}]*\}|[^/])+|\//g) ?? []).map((text) =>
    parseSegment(text, variables, encodeTemplateText),
  );
  const parts = segments.reduce<(string | Segment)[]>((merged, part) => {
    const last = merged.at(-1);
    if (typeof part === "string" && typeof last === "string")
      merged[merged.length - 1] = last + part;
    else merged.push(part);
    return merged;
  }, []);
  return {
    ...compileQuery(query, parameters, variables, reserved),
    example: parts.map((part) => (typeof part === "string" ? part : part.texts.join("x"))).join(""),
    expand(args) {
      let expanded = "";
      for (const part of parts)
        expanded += typeof part === "string" ? part : expandSegment(part, args);
      return expanded;
    },
  };
}

/**
 * Compiles the query of a path template. A part `name={name}` of a query parameter of that name is left to the
 * parameter; another parameter that the query names, in whatever location it is declared, is sent there.
 */
function compileQuery(
  query: string,
  parameters: readonly ParameterArgument[],
  inPath: ReadonlyMap<string, Variable>,
  reserved: ReadonlySet<string>,
): Pick<PathTemplate, "inQuery" | "expandQuery"> {
  const inQuery = new Set<Parameter>();
  if (!query.includes("{")) {
    const text = encodeQueryText(query);
    return { inQuery, expandQuery: () => text };
  }
  const variables = new Map(inPath);
  for (const { argument, parameter } of parameters) {
    if (parameter.in !== "query" || variables.has(parameter.name)) continue;
    // Only the value, in the form that a single text has.
    const value: Parameter = { ...parameter, in: "path", style: "simple", explode: false };
    variables.set(parameter.name, {
      argument,
      parameter,
      write: createParameterWriter(value, argument),
    });
  }
  const parts = query.split("&").flatMap((text): readonly (string | Segment)[] => {
    const part = parseSegment(text, variables, encodeQueryText);
    if (typeof part === "string") return [part];
    const [own] = part.variables as readonly [Variable];
    if (own.parameter.in === "query" && text === `${own.parameter.name}={${own.parameter.name}}`) {
      return [];
    }
    for (const { parameter } of part.variables) inQuery.add(parameter);
    return [part];
  });
  return {
    inQuery,
    expandQuery(args) {
      const expanded: string[] = [];
      for (const part of parts) {
        const text = typeof part === "string" ? part : expandQueryPart(part, args, reserved);
        if (text !== undefined) expanded.push(text);
      }
      return expanded.join("&");
    },
  };
}

/** Returns `undefined` if a parameter in it has no value: the part is not sent. */
function expandQueryPart(
  { texts, variables }: Segment,
  args: JsonObject,
  reserved: ReadonlySet<string>,
): string | undefined {
  let expanded = texts[0] as string;
  for (let index = 0; index < variables.length; index++) {
    const { argument, parameter, write } = variables[index] as Variable;
    const value = Object.hasOwn(args, argument) ? args[argument] : undefined;
    const text = value === undefined ? undefined : write(value);
    if (text === undefined) {
      if (parameter.required) throw emptyValueError(argument);
      return undefined;
    }
    const isKey = !expanded.includes("=");
    expanded += checkQueryText(text, argument) + (texts[index + 1] as string);
    if (isKey) createReservedKeyCheck(argument, reserved)(expanded);
  }
  return expanded;
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

function parseSegment(
  text: string,
  known: ReadonlyMap<string, Variable>,
  encode: (text: string) => string,
): string | Segment {
  const texts: string[] = [""];
  const variables: Variable[] = [];
  let from = 0;
  for (const { 0: braces, 1: name = "", index } of text.matchAll(/\{([^{}]*)\}/g)) {
    const variable = known.get(resolveExpression(name, known).name);
    if (variable === undefined) continue;
    texts[texts.length - 1] = encode(text.slice(from, index));
    texts.push("");
    variables.push(variable);
    from = index + braces.length;
  }
  texts[texts.length - 1] = encode(text.slice(from));
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
