import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { Ajv, type Options } from "ajv";
import { Ajv2019 } from "ajv/dist/2019.js";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, test } from "vitest";
import { boundAjv } from "../../src/schema/bounded-ajv.ts";
import { allowWork } from "../../src/schema/pattern/work-budget.ts";

// `src/schema/bounded-ajv.ts` bounds the work of a schema by changing the code that Ajv generates. It recognizes parts
// of that code by their text. If an Ajv version writes them differently, the bound is lost without an error, so this
// file compares the code of every keyword with what `bounded-ajv.ts` expects.
const advice =
  "Ajv generates other code than bounded-ajv.ts expects, so schemas of others may take unbounded time. Compare " +
  "`ajv/dist/compile` and `ajv/dist/vocabularies` with the version before, change bounded-ajv.ts, then this file. " +
  "Do not release with that Ajv version until then.";

const options: Options = {
  strict: false,
  validateFormats: false,
  allErrors: true,
  verbose: true,
  logger: false,
  unevaluated: true,
  validateSchema: false,
  code: { optimize: false, source: true },
};

const makers: Readonly<Record<string, () => Ajv>> = {
  "draft-07": () => new Ajv(options),
  "2019-09": () => new Ajv2019(options),
  "2020-12": () => new Ajv2020(options),
};

const names = { a: {}, b: {} };

/** The keywords whose code is not Ajv's at all. */
const replacedKeywords = new Set(["multipleOf", "uniqueItems"]);

/** For each keyword that generates code, a schema that makes it generate all of its code. */
const schemas: Readonly<Record<string, object>> = {
  $dynamicAnchor: { $dynamicAnchor: "n" },
  $dynamicRef: { $dynamicRef: "#n", $dynamicAnchor: "n" },
  $recursiveAnchor: { $recursiveAnchor: true },
  $recursiveRef: { properties: { a: { $recursiveRef: "#" } } },
  // A reference to itself is not inlined.
  $ref: {
    $defs: { d: { type: "object", properties: { a: { $ref: "#/$defs/d" } }, required: ["a"] } },
    $ref: "#/$defs/d",
  },
  additionalItems: { items: [{}], additionalItems: { type: "string" } },
  additionalProperties: { properties: names, additionalProperties: { type: "string" } },
  allOf: { allOf: [{ type: "object" }, { required: ["a"] }] },
  anyOf: { anyOf: [{ type: "string" }, { type: "object", properties: names }] },
  const: { const: { a: [1, 2, 3] } },
  contains: { contains: { type: "string" }, minContains: 1, maxContains: 3 },
  dependencies: { dependencies: { a: ["b"], b: { required: ["a"] } } },
  dependentRequired: { dependentRequired: { a: ["b"] } },
  dependentSchemas: { dependentSchemas: { a: { properties: names } } },
  discriminator: {},
  enum: { enum: ["a", { b: 1 }] },
  exclusiveMaximum: { exclusiveMaximum: 1 },
  exclusiveMinimum: { exclusiveMinimum: 1 },
  format: {},
  // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
  if: { if: { properties: names }, then: { required: ["a"] }, else: { required: ["b"] } },
  items: { items: { type: "string" } },
  maxContains: { contains: {}, maxContains: 1 },
  maxItems: { maxItems: 1 },
  maxLength: { maxLength: 1 },
  maxProperties: { maxProperties: 1 },
  maximum: { maximum: 1 },
  minContains: { contains: {}, minContains: 2 },
  minItems: { minItems: 1 },
  minLength: { minLength: 1 },
  minProperties: { minProperties: 1 },
  minimum: { minimum: 1 },
  multipleOf: { multipleOf: 2 },
  not: { not: { type: "string" } },
  oneOf: { oneOf: [{ type: "string" }, { type: "object", properties: names }] },
  pattern: { pattern: "^a+$" },
  patternProperties: { patternProperties: { "^x": { type: "string" } } },
  prefixItems: { prefixItems: [{ type: "string" }] },
  properties: { properties: { a: { type: "string" }, b: { required: ["c"] } } },
  propertyNames: { propertyNames: { maxLength: 3 } },
  required: { required: ["a", "b"] },
  type: { type: ["string", "object"] },
  unevaluatedItems: { anyOf: [{ prefixItems: [{}] }], unevaluatedItems: { type: "string" } },
  unevaluatedProperties: {
    anyOf: [{ properties: { a: {} } }, { patternProperties: { "^b": {} } }],
    unevaluatedProperties: { type: "string" },
  },
  uniqueItems: { uniqueItems: true },
};

/** Keywords that generate no code by themselves: `if` reads two of them, and an option turns the others on. */
const silent = new Set(["discriminator", "format", "maxContains", "minContains"]);

/** The places at which the generated code is not as `bounded-ajv.ts` has to make it. */
function unboundedCode(make: () => Ajv, bound: (ajv: Ajv) => void): string[] {
  const ajv = make();
  ajv.removeKeyword("id");
  const called = new Set<string>();
  for (const { rules } of [...ajv.RULES.rules, ajv.RULES.post]) {
    for (const { keyword, definition } of rules) {
      if (!("code" in definition)) continue;
      const { code } = definition;
      definition.code = (context, type) => {
        called.add(keyword);
        code(context, type);
      };
    }
  }
  let nativePatterns = 0;
  const native = Object.assign(
    (text: string, flags: string) => ((nativePatterns += 1), new RegExp(text, flags)),
    {
      code: "new RegExp",
    },
  );
  ajv.opts.code.regExp = native;
  const ownScopeRefs = ajv.scope.scopeRefs.bind(ajv.scope);
  let quadraticRefs = 0;
  ajv.scope.scopeRefs = (...given) => ((quadraticRefs += 1), ownScopeRefs(...given));
  bound(ajv);

  const problems: string[] = [];
  const keywords = Object.keys(ajv.RULES.keywords).filter((keyword) =>
    [...ajv.RULES.rules, ajv.RULES.post].some(({ rules }) =>
      rules.some((rule) => rule.keyword === keyword && "code" in rule.definition),
    ),
  );
  for (const keyword of keywords) {
    // They generate code as parts of `if`.
    if (keyword === "then" || keyword === "else") continue;
    const schema = schemas[keyword];
    if (schema === undefined) {
      problems.push(`${keyword}: a new keyword, for which this file has no schema`);
      continue;
    }
    allowWork(1e9);
    const source = ajv.compile(schema).source?.validateCode.toString() ?? "";
    const expected = replacedKeywords.has(keyword) ? !called.has(keyword) : called.has(keyword);
    if (!expected && !silent.has(keyword))
      problems.push(`${keyword}: its code is not the wrapped one`);
    const found = (pattern: RegExp): number => source.match(pattern)?.length ?? 0;
    const functions = found(/\bfunction validate\d+\(/g);
    if (!silent.has(keyword) && found(/\w+\(\w+\.units\);?/g) < Math.max(1, functions)) {
      problems.push(`${keyword}: a function does not account for its cost`);
    }
    if (found(/errors\+\+/g) !== found(/errors\+\+;?\s*\w+\(500\)/g)) {
      problems.push(`${keyword}: a problem is not accounted for`);
    }
    if (source.includes("vErrors.concat")) problems.push(`${keyword}: problems are copied`);
    if (/\b(?:props|_props)\d+ = (?:\w+ \|\| )?\{\}/.test(source)) {
      problems.push(`${keyword}: evaluated names have a prototype`);
    }
    if (/!(\w+) \|\| !\1\[\w+\]/.test(source)) {
      problems.push(`${keyword}: inherited properties count as evaluated`);
    }
    for (const [loop] of source.matchAll(/for\(let \w+=0; ?\w+<(\w+); ?\w+\+\+\)/g)) {
      if (!/\w+\(\w+ \* \d+\)/.test(source))
        problems.push(`${keyword}: ${loop} is not accounted for`);
    }
  }
  if (nativePatterns > 0) problems.push("pattern: compiled as a native regular expression");
  if (quadraticRefs > 0) problems.push("scopeRefs: Ajv's own, quadratic one is called");
  return problems;
}

describe.each(Object.keys(makers))("the code that Ajv generates for %s", (dialect) => {
  const make = makers[dialect] as () => Ajv;

  test("is bounded for every keyword", () => {
    const problems = unboundedCode(make, boundAjv);
    expect(problems.length === 0 ? [] : [advice, ...problems]).toEqual([]);
  });

  test("is found to be unbounded without boundAjv: this check can fail", () => {
    const found = unboundedCode(make, () => {}).join("\n");
    const { keywords } = make().RULES;
    const expected = [
      "required: a function does not account for its cost",
      "required: a problem is not accounted for",
      "$ref: problems are copied",
      "multipleOf: its code is not the wrapped one",
      "uniqueItems: its code is not the wrapped one",
      "anyOf: evaluated names have a prototype",
      "unevaluatedProperties: inherited properties count as evaluated",
      "compiled as a native regular expression",
      "quadratic one is called",
    ].filter((problem) => {
      const [keyword, text] = problem.split(":");
      return text === undefined || keywords[keyword as string] !== undefined;
    });
    expect(expected.filter((problem) => !found.includes(problem))).toEqual([]);
  });
});

test("only patch versions of the Ajv that was compared are allowed", () => {
  const manifest = JSON.parse(
    readFileSync(join(import.meta.dirname, "../../package.json"), "utf8"),
  ) as { dependencies: { ajv: string } };
  const { version } = createRequire(import.meta.url)("ajv/package.json") as { version: string };
  const [major, minor] = version.split(".");
  expect(manifest.dependencies.ajv).toMatch(new RegExp(`^~${major}\\.${minor}\\.\\d+$`));
});
