import { text, type Hook, type JsonObject, type JsonValue } from "@toolweave/core";
import type { ToolResult } from "@toolweave/core";
import {
  checks,
  globMatcher,
  isObject,
  jsonPath,
  type OptionChecks,
} from "@toolweave/core/adapter";

/** The part of a result that a model receives. */
export type ResultShape =
  /** The values that a JSON path selects (RFC 9535, without filters): a list, unless the path leads to one place. */
  | { readonly path: string }
  /** These fields of an object, or of each object of a list; `owner.name` is a field of a field. */
  | { readonly fields: readonly string[] };

const shapesCheck = checks.record({
  check(place, shape) {
    checks.object.check(place, shape);
    const isPath = Object.hasOwn(shape as object, "path");
    const shapeChecks: OptionChecks = isPath
      ? { path: checks.filledText }
      : { fields: checks.required(checks.filledList) };
    checks.nested(shapeChecks).check(place, shape);
  },
});

const maxSelected = 10_000;

/**
 * A hook that gives a model only a part of the results of some tools, so that large answers do not fill its context.
 * Results that are no JSON, and errors, are given as they are.
 *
 * @param shapes by tool; a glob such as `github__*` stands for several. The first match counts.
 * @throws ToolError `invalid_configuration` for a path that cannot be read, or a shape without fields.
 * @example
 * ```ts
 * const executor = new ToolExecutor({
 *   registry,
 *   hooks: [shapeResults({ github__list_issues: { fields: ["number", "title", "user.login"] } })],
 * });
 * ```
 */
export function shapeResults(shapes: Readonly<Record<string, ResultShape>>): Hook {
  shapesCheck.check("shapeResults: shapes", shapes);
  const rules = Object.entries(shapes).map(([glob, shape]) => ({
    matches: globMatcher([glob]),
    apply: toFunction(shape),
  }));
  return {
    when: ({ spec }) => rules.some(({ matches }) => matches(spec.name)),
    afterCall: ({ spec }, result) => {
      const value = result.isError ? undefined : toValue(result);
      if (value === undefined) return undefined;
      const shaped = rules.find(({ matches }) => matches(spec.name))?.apply(value);
      if (shaped === undefined) return undefined;
      return { content: [text(JSON.stringify(shaped))], value: shaped };
    },
  };
}

function toFunction(shape: ResultShape): (value: JsonValue) => JsonValue {
  if ("path" in shape) {
    const path = jsonPath(shape.path);
    const leadsToOne = !/\*|\.\.|:|,/.test(shape.path.replace(/'[^']*'|"[^"]*"/g, ""));
    return (value) => {
      const found = path.select(value, leadsToOne ? 1 : maxSelected);
      return leadsToOne ? (found[0] ?? null) : found;
    };
  }
  const paths = shape.fields.map((field) => field.split("."));
  return (value) => pickFields(value, paths);
}

function pickFields(value: JsonValue, paths: readonly (readonly string[])[]): JsonValue {
  if (Array.isArray(value)) return value.map((item: JsonValue) => pickFields(item, paths));
  if (!isObject(value)) return value;
  const picked: Record<string, JsonValue> = {};
  for (const name of new Set(paths.map(([first = ""]) => first))) {
    if (!Object.hasOwn(value, name)) continue;
    const member = (value as JsonObject)[name] as JsonValue;
    const below = paths.filter(([first]) => first === name).map(([, ...rest]) => rest);
    const isWhole = below.some((path) => path.length === 0);
    Object.defineProperty(picked, name, {
      value: isWhole ? member : pickFields(member, below),
      enumerable: true,
      writable: true,
      configurable: true,
    });
  }
  return picked;
}

/** The structured value of a result; of a single text, the JSON that it is. Undefined: it is none. */
function toValue({ value, content }: Pick<ToolResult, "value" | "content">): JsonValue | undefined {
  if (value !== undefined && typeof value !== "string") return value;
  const [block, ...others] = content;
  if (block?.type !== "text" || others.length > 0 || !/^\s*[[{]/.test(block.text)) return undefined;
  try {
    return JSON.parse(block.text) as JsonValue;
  } catch {
    return undefined;
  }
}
