/** Keywords whose value is a schema, or a list of schemas. */
const applicators: ReadonlySet<string> = new Set([
  "additionalItems",
  "additionalProperties",
  "allOf",
  "anyOf",
  "contains",
  "else",
  "if",
  "items",
  "not",
  "oneOf",
  "prefixItems",
  "propertyNames",
  "then",
  "unevaluatedItems",
  "unevaluatedProperties",
]);

/** Keywords whose value has a schema for each name. */
const named: ReadonlySet<string> = new Set([
  "$defs",
  "definitions",
  "dependencies",
  "dependentSchemas",
  "patternProperties",
  "properties",
]);

type Node = Readonly<Record<string, unknown>>;

const proto = "__proto__";

/**
 * The schema with its rules for a property named `__proto__` in keywords that Ajv checks: Ajv passes over that name in
 * `properties`, `patternProperties` and `dependencies`. They are copied to keywords of the same meaning; the originals
 * stay, so that references into them still resolve.
 *
 * For schemas of a bounded size.
 */
export function keepProtoProperty(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(keepProtoProperty);
  if (!isNode(schema)) return schema;
  const entries = Object.entries(schema).map(([keyword, value]): [string, unknown] => {
    if (applicators.has(keyword)) return [keyword, keepProtoProperty(value)];
    return [keyword, named.has(keyword) && isNode(value) ? eachWithOwnProto(value) : value];
  });
  const node: Node = Object.fromEntries(entries);
  const patterns = patternsOf(node);
  const conditions = conditionsOf(node);
  return {
    ...node,
    ...(patterns === undefined ? {} : { patternProperties: patterns }),
    ...(conditions === undefined ? {} : { allOf: conditions }),
  };
}

function eachWithOwnProto(schemas: Node): Node {
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [name, keepProtoProperty(schema)]),
  );
}

/** `patternProperties` with the schema of the property `__proto__`, and that of the pattern `__proto__`. */
function patternsOf({ properties, patternProperties = {} }: Node): Node | undefined {
  const patterns = isNode(patternProperties) ? { ...patternProperties } : {};
  let isChanged = false;
  const add = (pattern: string, schema: unknown): void => {
    let unused = pattern;
    while (Object.hasOwn(patterns, unused)) unused = `(?:${unused})`;
    patterns[unused] = schema;
    isChanged = true;
  };
  if (has(patternProperties)) add(`(?:${proto})`, patternProperties[proto]);
  if (has(properties)) add(`^${proto}$`, properties[proto]);
  return isChanged ? patterns : undefined;
}

/** `allOf` with what depends on the property `__proto__`. */
function conditionsOf({ dependencies, allOf }: Node): readonly unknown[] | undefined {
  if (!has(dependencies)) return undefined;
  const dependent = dependencies[proto];
  const demanded = Array.isArray(dependent) ? { required: dependent } : dependent;
  return [
    ...(Array.isArray(allOf) ? allOf : []),
    { if: { not: { required: [proto] } }, else: demanded },
  ];
}

function has(value: unknown): value is Node {
  return isNode(value) && Object.hasOwn(value, proto);
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
