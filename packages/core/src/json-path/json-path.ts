import type { JsonValue } from "../json/json.ts";
import { ToolError } from "../contract/tool-error.ts";
import { parsePath, type Segment } from "./parse-path.ts";
import { Walk } from "./walk.ts";

/**
 * A compiled JSON path. Each node is found once, in the document's order, at a cost that is
 * proportional to the document, however many `..` the path has.
 */
export interface JsonPath {
  readonly text: string;
  /**
   * Selects the values that the path matches in `value`, at most `limit` of them.
   *
   * @throws ToolError `limit_exceeded` when the value is too large or too deep to be searched.
   */
  select(value: JsonValue, limit: number): JsonValue[];
  /**
   * `value` with `replacement` in place of everything that the path leads to: a copy where it has
   * changed, and the very same object when nothing has.
   *
   * @throws ToolError `limit_exceeded` when the value is too large or too deep to be searched.
   */
  replace(value: JsonValue, replacement: JsonValue): JsonValue;
}

/**
 * Compiles a JSON path: names, indices, slices, wildcards, descendants and lists of them in
 * brackets; no filters.
 *
 * @throws ToolError `invalid_configuration`, with the position of what cannot be read.
 * @see https://www.rfc-editor.org/rfc/rfc9535
 */
export function jsonPath(text: string): JsonPath {
  const segments: readonly Segment[] | string = parsePath(text);
  if (typeof segments === "string") throw new ToolError("invalid_configuration", segments);
  return {
    text,
    select(value, limit) {
      const found: JsonValue[] = [];
      if (!(limit > 0)) return found;
      const walk = new Walk(segments, (node) => {
        if (found.push(node) >= limit) walk.ended = true;
        return undefined;
      });
      walk.from(value);
      return found;
    },
    replace: (value, replacement) => new Walk(segments, () => replacement).from(value),
  };
}
