import type { Ajv, Code, CodeGen, KeywordCxt, Name } from "ajv";
import { _ } from "ajv/dist/compile/codegen/index.js";
import { _Code } from "ajv/dist/compile/codegen/code.js";
import { evaluatedPropsToName } from "ajv/dist/compile/util.js";
import type { EvaluatedProperties } from "ajv/dist/types/index.js";
import type { Rule } from "ajv/dist/compile/rules.js";
import { isObject } from "../json/json.ts";
import { duplicateItems } from "./duplicate-items.ts";
import { isMultiple } from "./is-multiple.ts";
import { linearRegExp } from "./pattern/linear-reg-exp.ts";
import { spend } from "./pattern/work-budget.ts";

type SafeExpr = Parameters<CodeGen["assign"]>[1];

// In units of `spend`. A problem's memory counts, too: those of branches that are not taken are retained for a while.
const perFunctionWritten = 100_000;
const perStatementWritten = 2000;
const perCall = 50;
const perProblem = 500;
const perKey = 50;
const perCharacter = 3;

/** The cost of one run of a generated function: about its number of statements. */
interface Cost {
  units: number;
}

/**
 * Bounds what a schema can make an instance of Ajv do: patterns are matched in linear time, equal items are found in
 * linear time, and the code accounts for its own work, so that neither compiling nor checking takes longer than
 * `allowWork` permits. To a schema without arrays and references that adds one call.
 */
export function boundAjv(ajv: Ajv): void {
  ajv.opts.code.regExp = Object.assign(linearRegExp, { code: "new RegExp" });
  const metered = new WeakSet<CodeGen>();
  const account = ({ gen }: KeywordCxt): void => {
    if (metered.has(gen)) return;
    metered.add(gen);
    meter(gen);
  };
  const { RULES } = ajv;
  for (const { rules } of [...RULES.rules, RULES.post]) {
    for (const rule of rules) bound(rule, account);
  }
  // Comes first in every function, before all other checks.
  const any = ["type", ...Object.keys(RULES.keywords)];
  const first = { keyword: "", implements: any, type: [], schemaType: [], code: account };
  RULES.rules.unshift({ rules: [{ keyword: "", definition: first }] });
  // Ajv's own takes time by the square of how many values a function refers to.
  ajv.scope.scopeRefs = (scope, values = {}) => {
    let code = "";
    for (const names of Object.values(values)) {
      for (const name of names?.values() ?? []) code += `const ${name}=${scope}${name.scopePath};`;
    }
    return new _Code(code);
  };
}

/** Has a function count what it is made of, and account for that when it runs. */
function meter(gen: CodeGen): void {
  const cost: Cost = { units: perCall };
  spend(perFunctionWritten);
  const { code, assign, if: branch, const: declare, var: declareVar, forRange, forOf } = gen;
  gen.code(spending(gen, _`${gen.scopeValue("obj", { ref: cost })}.units`));
  const count = (): void => {
    cost.units += 1;
    spend(perStatementWritten);
  };
  gen.code = (part) => {
    if (typeof part === "function") return code.call(gen, part);
    count();
    code.call(gen, part);
    return String(part) === "errors++" ? code.call(gen, spending(gen, perProblem)) : gen;
  };
  gen.assign = (to, value, sideEffects) => {
    count();
    // From a function of another schema: `concat` would copy all problems for each such call.
    const added = to.str === "vErrors" ? /\? (.+) : vErrors\.concat/.exec(String(value)) : null;
    if (added === null) return assign.call(gen, to, withoutPrototype(value), sideEffects);
    return assign.call(gen, to, _`${func(gen, append)}(${to}, ${new _Code(added[1] as string)})`);
  };
  gen.if = (condition, ...bodies) => {
    count();
    // Inherited properties ("constructor") do not count as evaluated.
    const [, props, key] = /^!(\w+) \|\| !\1\[(\w+)\]$/.exec(String(condition)) ?? [];
    const own = `!${props} || !Object.hasOwn(${props}, ${key})`;
    return branch.call(gen, props === undefined ? condition : new _Code(own), ...bodies);
  };
  gen.const = (...parts) => {
    count();
    return declare.apply(gen, parts);
  };
  gen.var = (name, value, constant) =>
    declareVar.call(gen, name, value === undefined ? value : withoutPrototype(value), constant);
  gen.forRange = (name, from, to, body, kind) => {
    const before = cost.units;
    forRange.call(gen, name, from, to, body, kind);
    return gen.code(spending(gen, _`${to} * ${cost.units - before}`));
  };
  gen.forOf = (name, items, body, kind) => {
    const before = cost.units;
    const turn = (item: Name): void => {
      body(item);
      gen.code(spending(gen, perKey + cost.units - before));
    };
    return forOf.call(gen, name, items, turn, kind);
  };
}

/** Evaluated names are stored in an object without a prototype, in which `__proto__` is an ordinary key. */
function withoutPrototype(value: SafeExpr): SafeExpr {
  const text = String(value);
  if (text === "{}") return _`Object.create(null)`;
  const before = /^(\w+) \|\| \{\}$/.exec(text)?.[1];
  return before === undefined ? value : _`${new _Code(before)} || Object.create(null)`;
}

function append(problems: unknown[] | null, added: unknown[]): unknown[] {
  if (problems === null) return added;
  const { length } = added;
  spend(length * 5);
  for (let index = 0; index < length; index++) problems.push(added[index]);
  return problems;
}

function bound({ keyword, definition }: Rule, account: (context: KeywordCxt) => void): void {
  if (!("code" in definition)) return;
  const code = replaced[keyword]?.(definition.code) ?? definition.code;
  const computeCost = costs[keyword];
  definition.code = (context, type) => {
    account(context);
    const { gen, data, schema, it, subschema } = context;
    const units = computeCost?.(context) ?? 0;
    if (units !== 0) gen.code(spending(gen, units));
    if (it.opts.unevaluated === true) {
      if (merging.has(keyword)) {
        const times = Array.isArray(schema) ? schema.length : 1;
        gen.code(_`${func(gen, spendOnKeys)}(${data}, ${times})`);
      }
      // These become one long condition, in time by the square of their number.
      if (keyword === "unevaluatedProperties" && manyNames(it.props)) {
        it.props = evaluatedPropsToName(gen, it.props);
      }
    }
    // Ajv's code for the first problem only loses what follows a tuple longer than the data.
    context.subschema = (part, valid) =>
      subschema.call(
        context,
        part.allErrors === false ? { ...part, allErrors: true } : part,
        valid,
      );
    code(context, type);
  };
}

function manyNames(props: KeywordCxt["it"]["props"]): props is EvaluatedProperties {
  return typeof props === "object" && !("str" in props) && Object.keys(props).length > 50;
}

/** The cost of a keyword at one value, beside its statements. */
const costs: Readonly<Record<string, (context: KeywordCxt) => Code | number>> = {
  minLength: ({ data }) => _`${data}.length * ${perCharacter}`,
  maxLength: ({ data }) => _`${data}.length * ${perCharacter}`,
  minProperties: ({ data }) => _`Object.keys(${data}).length * ${2 * perKey}`,
  maxProperties: ({ data }) => _`Object.keys(${data}).length * ${2 * perKey}`,
  const: comparing,
  enum: comparing,
};

function comparing({ keyword, schema }: KeywordCxt): number {
  const text = JSON.stringify(schema);
  spend(text.length);
  if (text.length < 100) return 0;
  const structured = /[[{]/.test(text.slice(keyword === "enum" ? 1 : 0));
  return structured ? text.length * 4 : text.length >> 3;
}

/** The keywords that pass on which properties they have evaluated. */
const merging = new Set([
  "$ref",
  "$dynamicRef",
  "$recursiveRef",
  "allOf",
  "anyOf",
  "oneOf",
  "if",
  "dependentSchemas",
  "dependencies",
]);

type KeywordCode = (context: KeywordCxt, type?: string) => void;

/** Keywords whose checks Ajv makes in another way. */
const replaced: Readonly<Record<string, (code: KeywordCode) => KeywordCode>> = {
  uniqueItems: () => uniqueItems,
  multipleOf: () => (context) => {
    const { gen, data, schema } = context;
    context.fail(_`!${func(gen, isMultiple)}(${data}, ${schema as number})`);
  },
  // Ajv refuses an empty list, for which no value is valid.
  enum: (code) => (context, type) => {
    if ((context.schema as unknown[]).length === 0) context.fail(_`true`);
    else code(context, type);
  },
};

function uniqueItems(context: KeywordCxt): void {
  if (context.schema !== true) return;
  const { gen, data } = context;
  const found = gen.const("found", _`${func(gen, duplicateItems)}(${data})`);
  context.setParams({ i: _`${found}[0]`, j: _`${found}[1]` });
  context.fail(_`${found} !== undefined`);
}

function spendOnKeys(value: unknown, times: number): void {
  if (isObject(value)) {
    spend(Object.keys(value).length * perKey * times);
  }
}

function spending(gen: CodeGen, units: Code | number): Code {
  return _`${func(gen, spend)}(${units})`;
}

function func(gen: CodeGen, ref: (...values: never[]) => unknown): Name {
  return gen.scopeValue("func", { ref, key: ref });
}
