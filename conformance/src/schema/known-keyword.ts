/** The keywords of 2020-12 and draft-07 that somebody could spell otherwise. */
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

const byLetters = new Map(keywords.map((keyword) => [lettersOf(keyword), keyword]));

/**
 * The keyword that a key is, in other case or with other separators: `minLength` for `min_length`.
 * `undefined` for what is none, such as a keyword of somebody's own.
 */
export function knownKeyword(key: string): string | undefined {
  return byLetters.get(lettersOf(key));
}

function lettersOf(key: string): string {
  return key.toLowerCase().replace(/[_ -]/g, "");
}
