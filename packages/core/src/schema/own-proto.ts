import { isObject, type JsonSchema, type JsonValue } from "../json/json.ts";
import { mapSubschemas, type SchemaNode } from "../json-schema/subschemas.ts";

const proto = "__proto__";

/**
 * The schema with its rules for a property named `__proto__` in keywords that Ajv checks: Ajv passes over that name in
 * `properties`, `patternProperties` and `dependencies`. They are copied to keywords of the same meaning; the originals
 * stay, so that references into them still resolve.
 *
 * For schemas of a bounded size.
 */
export function keepProtoProperty<Node extends SchemaNode>(schema: Node): Node | JsonSchema {
  if (typeof schema === "boolean") return schema;
  const node = mapSubschemas(schema, keepProtoProperty, true);
  const patterns = patternsOf(node);
  const conditions = conditionsOf(node);
  return {
    ...node,
    ...(patterns === undefined ? {} : { patternProperties: patterns }),
    ...(conditions === undefined ? {} : { allOf: conditions }),
  };
}

/** `patternProperties` with the schema of the property `__proto__`, and that of the pattern `__proto__`. */
function patternsOf({ properties, patternProperties = {} }: JsonSchema): JsonSchema | undefined {
  const patterns: Record<string, JsonValue> = isObject(patternProperties)
    ? { ...patternProperties }
    : {};
  let isChanged = false;
  const add = (pattern: string, schema: JsonValue): void => {
    let unused = pattern;
    while (Object.hasOwn(patterns, unused)) unused = `(?:${unused})`;
    patterns[unused] = schema;
    isChanged = true;
  };
  if (has(patternProperties)) add(`(?:${proto})`, patternProperties[proto] as JsonValue);
  if (has(properties)) add(`^${proto}$`, properties[proto] as JsonValue);
  return isChanged ? patterns : undefined;
}

/** `allOf` with what depends on the property `__proto__`. */
function conditionsOf({ dependencies, allOf }: JsonSchema): readonly JsonValue[] | undefined {
  if (!has(dependencies)) return undefined;
  const dependent = dependencies[proto] as JsonValue;
  const demanded = Array.isArray(dependent) ? { required: dependent } : dependent;
  return [
    ...(Array.isArray(allOf) ? allOf : []),
    { if: { not: { required: [proto] } }, else: demanded },
  ];
}

function has(value: JsonValue | undefined): value is JsonSchema {
  return isObject(value) && Object.hasOwn(value, proto);
}
