/** The keywords of 2020-12 and draft-07 that can be misspelt. */
const keywords = [
  "additionalItems",
  "additionalProperties",
  "allOf",
  "anyOf",
  "const",
  "contains",
  "contentEncoding",
  "contentMediaType",
  "contentSchema",
  "default",
  "definitions",
  "dependencies",
  "dependentRequired",
  "dependentSchemas",
  "deprecated",
  "description",
  "else",
  "enum",
  "examples",
  "exclusiveMaximum",
  "exclusiveMinimum",
  "format",
  "if",
  "items",
  "maxContains",
  "maxItems",
  "maxLength",
  "maxProperties",
  "maximum",
  "minContains",
  "minItems",
  "minLength",
  "minProperties",
  "minimum",
  "multipleOf",
  "not",
  "oneOf",
  "pattern",
  "patternProperties",
  "prefixItems",
  "properties",
  "propertyNames",
  "readOnly",
  "required",
  "then",
  "title",
  "type",
  "unevaluatedItems",
  "unevaluatedProperties",
  "uniqueItems",
  "writeOnly",
];

const keywordsByLetters = new Map(keywords.map((keyword) => [normalizeKeyword(keyword), keyword]));

/**
 * The keyword that a key stands for, in other case or with other separators: `minLength` for
 * `min_length`. `undefined` for other keys, such as custom keywords.
 */
export function findKeyword(key: string): string | undefined {
  return keywordsByLetters.get(normalizeKeyword(key));
}

function normalizeKeyword(key: string): string {
  return key.toLowerCase().replace(/[_ -]/g, "");
}
