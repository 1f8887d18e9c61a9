import type { JsonSchema, JsonValue } from "@toolweave/core";
import {
  childPointer,
  findInvalidKeyword,
  getDialect,
  isObject,
  keywords,
  mapKeywords,
  mapSubschemas,
  metadataKeywords,
  stepPointer,
  type Dialect,
} from "@toolweave/core/adapter";

/** A schema without faults that change nothing for the validation of values. */
export interface RepairedSchema {
  readonly schema: JsonSchema;
  /** JSON pointers to the keywords that were removed or rewritten. */
  readonly repaired: readonly string[];
}

/**
 * Repairs a server's schema: serializers write an absent keyword as null, some servers give annotations values of
 * another kind, and write the exclusive bounds of draft-04 without declaring it. For schemas within the budget.
 *
 * @returns the same schema if it has no such fault.
 */
export function repairSchema(schema: JsonSchema): RepairedSchema {
  const repaired: string[] = [];
  const { $schema } = schema;
  return { schema: repair(schema, "", getDialect($schema), repaired), repaired };
}

/** Keywords that may be null. */
const nullable: ReadonlySet<string> = new Set(["const", "default"]);
const known: ReadonlySet<string> = new Set([...keywords, "$schema", "nullable"]);
/** Keywords beside the metadata that constrain nothing. */
const annotations: ReadonlySet<string> = new Set([
  ...metadataKeywords,
  "$comment",
  "contentEncoding",
  "contentMediaType",
  "format",
]);
const bounds: Readonly<Record<string, string>> = {
  exclusiveMaximum: "maximum",
  exclusiveMinimum: "minimum",
};

function repair(
  node: JsonSchema,
  pointer: string,
  dialect: Dialect,
  repaired: string[],
): JsonSchema {
  const changed = new Map<string, JsonValue | undefined>();
  for (const [keyword, value] of Object.entries(node)) {
    const at = childPointer(pointer, keyword);
    const bound = bounds[keyword];
    if (value === null && known.has(keyword) && !nullable.has(keyword)) {
      changed.set(keyword, undefined);
      repaired.push(at);
    } else if (mapKeywords.has(keyword) && isObject(value)) {
      const nulls = Object.keys(value).filter((name) => value[name] === null);
      repaired.push(...nulls.map((name) => childPointer(at, name)));
      if (nulls.length > 0) {
        changed.set(keyword, { ...value, ...Object.fromEntries(nulls.map((name) => [name, {}])) });
      }
    } else if (bound !== undefined && typeof value === "boolean" && dialect !== "draft-04") {
      const limit = node[bound];
      changed.set(keyword, value && typeof limit === "number" ? limit : undefined);
      if (value) changed.set(bound, undefined);
      repaired.push(at);
    } else if (
      annotations.has(keyword) &&
      findInvalidKeyword({ [keyword]: value }, dialect) !== undefined
    ) {
      changed.set(keyword, undefined);
      repaired.push(at);
    }
  }
  const members = Object.entries(node).flatMap(([keyword, value]): [string, JsonValue][] => {
    const entry = changed.has(keyword) ? changed.get(keyword) : value;
    return entry === undefined ? [] : [[keyword, entry]];
  });
  return mapSubschemas(changed.size === 0 ? node : Object.fromEntries(members), (part, step) =>
    typeof part === "boolean" ? part : repair(part, stepPointer(pointer, step), dialect, repaired),
  );
}
