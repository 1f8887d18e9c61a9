import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import fc from "fast-check";

const require = createRequire(import.meta.url);
const examples = dirname(require.resolve("@readme/oas-examples/package.json"));

/** Real documents small enough to be modified thousands of times. */
const bases: readonly unknown[] = [
  "2.0/json/petstore.json",
  "3.0/json/petstore.json",
  "3.0/json/schema-circular.json",
  "3.0/json/circular-request-bodies.json",
  "3.0/json/file-uploads.json",
  "3.1/json/petstore.json",
  "3.1/json/security.json",
  "3.1/json/train-travel.json",
  "3.1/json/schema-encoding-style.json",
]
  .map((name) => join(examples, name))
  .filter((path) => existsSync(path))
  .map((path) => JSON.parse(readFileSync(path, "utf8")) as unknown);

/** A value nested in itself: `{"items":{"items":…}}` or `[[…]]`. */
function nested(key: string | undefined, depth: number): unknown {
  let value: unknown = {};
  for (let level = 0; level < depth; level++)
    value = key === undefined ? [value] : { [key]: value };
  return value;
}

const keys = fc.constantFrom(
  ..."$ref $id $anchor $dynamicRef $dynamicAnchor $defs $schema type items properties required enum const allOf anyOf oneOf not if then else discriminator mapping nullable format pattern patternProperties additionalProperties unevaluatedProperties prefixItems contains dependentSchemas dependentRequired propertyNames exclusiveMinimum minimum maximum multipleOf minLength default example examples readOnly writeOnly deprecated description title summary operationId parameters requestBody responses content schema itemSchema encoding headers style explode allowReserved name in servers url variables security tags get post query additionalOperations __proto__ constructor toString 200 default application/json multipart/form-data xml x-flag".split(
    " ",
  ),
);

const references = fc.constantFrom(
  "#",
  "#/",
  "#/paths",
  "#/components/schemas/Pet",
  "#/definitions/Pet",
  "#/components",
  "#/info",
  "#/paths/~1pet/post",
  "#/components/schemas/__proto__",
  "#meta",
  "#%",
  "#/%E0%A4%A",
  "other.json#/a",
  "/etc/passwd",
  "file:///etc/passwd",
  "http://127.0.0.1:1/x",
  "urn:x:y",
  "//evil/x",
  "",
  "\u0000",
);

const names = fc.oneof(
  fc.constantFrom(
    "string",
    "object",
    "array",
    "integer",
    "null",
    "file",
    "binary",
    "^(a+)+$",
    "[",
    "[\\w-.]+",
    "\\-",
  ),
  references,
  fc.string({ unit: "binary", maxLength: 8 }),
);

const { garbage } = fc.letrec<{ garbage: unknown }>((tie) => ({
  garbage: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.constantFrom<unknown>(null, true, false, 0, -1, 1e308, 1.5, "", {}, []),
    names,
    references.map(($ref) => ({ $ref })),
    references.map(($dynamicRef) => ({ $dynamicRef })),
    fc.array(tie("garbage"), { maxLength: 4 }),
    fc.dictionary(keys, tie("garbage"), { maxKeys: 5 }),
  ),
}));

/** Any JSON, more often with a meaning in a document, and sometimes nested very deeply. */
const anyJson: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 20, arbitrary: garbage },
  {
    weight: 1,
    arbitrary: fc
      .tuple(
        fc.constantFrom("items", "properties", "allOf", "not", undefined),
        fc.constantFrom(600, 20_000),
      )
      .map(([key, depth]) => nested(key, depth)),
  },
);

/** The node to replace, as a fraction of all, its replacement, and whether it has a new key. */
const change = fc.record({
  at: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
  by: anyJson,
  key: fc.option(keys, { nil: undefined }),
});

/** A real document, with up to six nodes replaced by anything. */
export const hostileDocument: fc.Arbitrary<object> = fc
  .record({
    base: fc.nat(bases.length - 1),
    version: fc.constantFrom(undefined, "2.0", "3.0.4", "3.1.1", "3.2.0"),
    changes: fc.array(change, { minLength: 1, maxLength: 6 }),
  })
  .map(({ base, version, changes }) => {
    const root = structuredClone(bases[base]) as Record<string, unknown>;
    if (version !== undefined) {
      delete root["swagger"];
      delete root["openapi"];
      root[version === "2.0" ? "swagger" : "openapi"] = version;
    }
    for (const { at, by, key } of changes) replaceOne(root, at, by, key);
    return root;
  });

function replaceOne(root: object, at: number, by: unknown, key: string | undefined): void {
  const places: [Record<string, unknown>, string][] = [];
  const open: unknown[] = [root];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (typeof node !== "object" || node === null || places.length > 100_000) continue;
    for (const name of Object.keys(node)) {
      places.push([node as Record<string, unknown>, name]);
      open.push((node as Record<string, unknown>)[name]);
    }
  }
  const [owner, name] = places[Math.floor(at * places.length)] ?? [
    root as Record<string, unknown>,
    "info",
  ];
  const target = owner[name];
  const into =
    key !== undefined && typeof target === "object" && target !== null && !Array.isArray(target);
  const [parent, at2] = into ? [target as Record<string, unknown>, key] : [owner, name];
  Object.defineProperty(parent, at2, {
    value: by,
    enumerable: true,
    configurable: true,
    writable: true,
  });
}
