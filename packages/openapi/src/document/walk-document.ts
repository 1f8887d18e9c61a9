import { childPointer, dataKeywords, mapKeywords } from "@toolweave/core/adapter";
import { isRecord } from "./record.ts";

const maxDepth = 500;

/** Members whose values are data: a `$ref` in them is ordinary data. */
const dataMembers: ReadonlySet<string> = new Set([...dataKeywords, "mapping"]);

/** Members whose keys are names that the author chose, not keywords. */
const namedMembers: ReadonlySet<string> = new Set([
  ...mapKeywords,
  "schemas",
  "responses",
  "parameters",
  "requestBodies",
  "headers",
  "securitySchemes",
  "securityDefinitions",
  "links",
  "callbacks",
  "pathItems",
  "mediaTypes",
  "paths",
  "webhooks",
  "content",
  "encoding",
  "variables",
]);

/**
 * Visits every object of a document except examples, defaults, enumerated values and `x-` extensions, in which `$ref`
 * and `$id` have no meaning.
 *
 * @param visit called with the object, its JSON pointer, and the result of the call for its parent.
 */
export function walkDocument<State>(
  root: unknown,
  state: State,
  visit: (node: Readonly<Record<string, unknown>>, pointer: string, outer: State) => State,
): void {
  const seen = new Set<object>();
  const walk = (value: unknown, pointer: string, named: boolean, outer: State, depth: number) => {
    if (typeof value !== "object" || value === null || depth > maxDepth || seen.has(value)) return;
    seen.add(value);
    if (Array.isArray(value)) {
      for (let index = 0; index < value.length; index++) {
        walk(value[index], childPointer(pointer, index), false, outer, depth + 1);
      }
      return;
    }
    if (!isRecord(value)) return;
    const inner = named ? outer : visit(value, pointer, outer);
    for (const key of Object.keys(value)) {
      if (!named && (dataMembers.has(key) || key.startsWith("x-"))) continue;
      const names = !named && namedMembers.has(key);
      walk(value[key], childPointer(pointer, key), names, inner, depth + 1);
    }
  };
  walk(root, "", false, state, 0);
}
