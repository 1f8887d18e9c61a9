import type { Ajv, ErrorObject, Options, ValidateFunction } from "ajv";
import { isObject, type JsonSchema, type JsonValue } from "../json/json.ts";
import { getDialect, type Dialect } from "../json-schema/keywords.ts";
import type { ValidationProblem } from "../contract/tool.ts";
import { ofChosenBranches } from "./chosen-branches.ts";
import { childPointer } from "../json/json-pointer.ts";
import { adaptDialect } from "./adapt-dialect.ts";
import { measureSchema, type CompiledSchema, type SchemaValidator } from "./schema-validator.ts";
import { UncheckablePattern } from "./pattern/linear-reg-exp.ts";
import { withoutUncheckedPatterns } from "./unchecked-patterns.ts";
import { allowWork, isExceeded, unchecked, workBudgets } from "./pattern/work-budget.ts";
import { mapSubschemas, type SchemaNode } from "../json-schema/subschemas.ts";

const options: Options = {
  // Foreign schemas carry keywords and formats of their own; unknown ones are annotations
  // (JSON Schema 2020-12 core section 4.3.1, validation section 7.2.1).
  strict: false,
  validateFormats: false,
  allErrors: true,
  // In a union, the schema of each error shows which branch it is of; the path does not if branches refer to others.
  verbose: true,
  logger: false,
  // Makes no faster code (V8 does the same), but compiling takes twice as long.
  code: { optimize: false },
};

/**
 * The default validator: Ajv, loaded when the first schema is compiled. It generates code; where that is forbidden, use
 * `interpretedValidator` of `@toolweave/core/interpreted-validator`.
 *
 * A schema that takes more than about two seconds to compile is rejected. A `pattern` that nothing can match in bounded
 * time (back-references, thousands of states) is not checked; `unchecked` of the compiled schema names it. A value that
 * takes more than about a second to check fails with a single problem about that.
 */
export function ajvValidator(): SchemaValidator {
  const loaded = new Map<Dialect, AjvSupply>();
  const loading = new Map<Dialect, Promise<AjvSupply>>();
  return {
    compile(schema) {
      const dialect = getDialect(schema["$schema"]);
      const supply = loaded.get(dialect);
      if (supply !== undefined) return compiled(supply.next(), schema);
      let load = loading.get(dialect);
      if (load === undefined) {
        load = loadAjv(dialect).then((make) => {
          const supply = new AjvSupply(make);
          loaded.set(dialect, supply);
          return supply;
        });
        loading.set(dialect, load);
      }
      return load.then((supply) => compiled(supply.next(), schema));
    },
  };
}

/** Ajv never forgets a schema that it has compiled: after so many it makes room for another one. */
const maxCompiled = 1000;

class AjvSupply {
  readonly #make: () => Ajv;
  #ajv: Ajv;
  #left = maxCompiled;

  constructor(make: () => Ajv) {
    this.#make = make;
    this.#ajv = make();
  }

  next(): Ajv {
    if (--this.#left < 0) {
      this.#ajv = this.#make();
      this.#left = maxCompiled - 1;
    }
    return this.#ajv;
  }
}

async function loadAjv(dialect: Dialect): Promise<() => Ajv> {
  const [make, { boundAjv }] = await Promise.all([ajvMaker(dialect), import("./bounded-ajv.ts")]);
  return () => {
    const ajv = make();
    // Identifiers come from foreign schemas: `__proto__` must be a key like any other.
    Object.setPrototypeOf(ajv.refs, null);
    Object.setPrototypeOf(ajv.schemas, null);
    // Draft-04's name for `$id`, which Ajv refuses: elsewhere an annotation like others.
    ajv.removeKeyword("id");
    boundAjv(ajv);
    return ajv;
  };
}

async function ajvMaker(dialect: Dialect): Promise<() => Ajv> {
  if (dialect === "2020-12") {
    const { Ajv2020 } = await import("ajv/dist/2020.js");
    return () => new Ajv2020(options);
  }
  if (dialect === "2019-09") {
    const { Ajv2019 } = await import("ajv/dist/2019.js");
    return () => new Ajv2019(options);
  }
  const { Ajv } = await import("ajv");
  return () => new Ajv(options);
}

const inheritedName: RegExp = new RegExp(
  `"(?:${Object.getOwnPropertyNames(Object.prototype).join("|")})"`,
);

function compiled(ajv: Ajv, schema: JsonSchema): CompiledSchema {
  try {
    return compileWithoutCache(ajv, schema);
  } catch (error) {
    if (!(error instanceof UncheckablePattern)) throw error;
    const { schema: weaker, unchecked: patterns } = withoutUncheckedPatterns(schema);
    return Object.assign(compileWithoutCache(ajv, weaker), { unchecked: patterns });
  }
}

function compileWithoutCache(ajv: Ajv, schema: JsonSchema): CompiledSchema {
  // A foreign `$schema` that Ajv does not know must not make the schema unusable, and Ajv's own
  // `$async` would make a promise of the answer.
  const { $schema, $async: _, ...given } = schema;
  const { asksWhatIsEvaluated } = measureSchema(given);
  const text = JSON.stringify(given);
  const adapted = adaptDialect(given, $schema, text);
  const rest = text.includes('"__proto__"') ? keepProtoProperty(adapted) : adapted;
  const own = new Set(Object.keys(ajv.refs));
  const { unevaluated = false, ownProperties = false } = ajv.opts;
  let validate: ValidateFunction;
  allowWork(workBudgets.compile);
  try {
    // Keeping track of what has been evaluated is much of the code where there are choices.
    if (!asksWhatIsEvaluated) ajv.opts.unevaluated = false;
    // Asking each time whether a property is the object's own takes half of a check. Only names that
    // every object inherits need it: without it `required: ["constructor"]` passes on `{}`.
    ajv.opts.ownProperties = asksWhatIsEvaluated || inheritedName.test(text);
    validate = ajv.compile(rest);
  } catch (error) {
    if (isExceeded(error)) throw new Error("schema is too large to compile", { cause: error });
    throw error;
  } finally {
    ajv.opts.unevaluated = unevaluated;
    ajv.opts.ownProperties = ownProperties;
    // The `$id` of one schema must neither resolve nor disturb references of another.
    for (const ref of Object.keys(ajv.refs)) if (!own.has(ref)) delete ajv.refs[ref];
  }
  return (value) => {
    allowWork(workBudgets.check);
    try {
      if (validate(value) === true) return undefined;
      const errors = validate.errors ?? [];
      validate.errors = null;
      return toProblems(ofChosenBranches(errors, rest, value));
    } catch (error) {
      if (isExceeded(error)) return unchecked;
      throw error;
    }
  };
}

function toProblems(errors: readonly ErrorObject[]): ValidationProblem[] {
  // A hundred thousand problems may be about one value, and that may be a megabyte.
  const texts = new Map<unknown, string>();
  const text = (value: unknown, write: (value: unknown) => string): string => {
    let known = texts.get(value);
    if (known === undefined) texts.set(value, (known = write(value)));
    return known;
  };
  return errors.map(({ instancePath, keyword, params, message }) => {
    const at = (name: unknown): string => childPointer(instancePath, String(name));
    switch (keyword) {
      case "required":
        return { path: at(params["missingProperty"]), message: "is required" };
      case "additionalProperties":
        return { path: at(params["additionalProperty"]), message: "is not a known property" };
      case "unevaluatedProperties":
        return { path: at(params["unevaluatedProperty"]), message: "is not a known property" };
      case "type":
        return { path: instancePath, message: `must be ${[params["type"]].flat().join(" or ")}` };
      case "enum":
        return { path: instancePath, message: text(params["allowedValues"], oneOf) };
      case "const":
        return { path: instancePath, message: text(params["allowedValue"], exactly) };
      case "anyOf":
      case "oneOf":
        return { path: instancePath, message: "must have one of the allowed shapes" };
      // The errors of a union, which `ofChosenBranches` writes.
      default:
        return { path: instancePath, message: message ?? `breaks "${keyword}"` };
    }
  });
}

function exactly(value: unknown): string {
  return `must be ${clipped(value)}`;
}

function oneOf(values: unknown): string {
  const all = Array.isArray(values) ? values : [];
  if (all.length === 0) return "has no allowed value";
  const listed = all.slice(0, 20).map(clipped);
  const rest = all.length > listed.length ? `, … (${all.length} in all)` : "";
  return `must be one of ${listed.join(", ")}${rest}`;
}

function clipped(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > 1000 ? `${text.slice(0, 1000)}…` : text;
}

const proto = "__proto__";

/**
 * The schema with its rules for a property named `__proto__` in keywords that Ajv checks: Ajv passes over that name in
 * `properties`, `patternProperties` and `dependencies`. They are copied to keywords of the same meaning; the originals
 * stay, so that references into them still resolve.
 *
 * For schemas of a bounded size.
 */
function keepProtoProperty<Node extends SchemaNode>(schema: Node): Node | JsonSchema {
  if (typeof schema === "boolean") return schema;
  const node = mapSubschemas(schema, keepProtoProperty, true);
  const patterns = addProtoPatterns(node);
  const conditions = addProtoConditions(node);
  return {
    ...node,
    ...(patterns === undefined ? {} : { patternProperties: patterns }),
    ...(conditions === undefined ? {} : { allOf: conditions }),
  };
}

/** `patternProperties` with the schema of the property `__proto__`, and that of the pattern `__proto__`. */
function addProtoPatterns({
  properties,
  patternProperties = {},
}: JsonSchema): JsonSchema | undefined {
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
function addProtoConditions({ dependencies, allOf }: JsonSchema): readonly JsonValue[] | undefined {
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
