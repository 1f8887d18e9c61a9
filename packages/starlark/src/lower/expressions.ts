import { machine } from "../run/machine.ts";
import type { Expression, FunctionScope, Statement } from "../syntax/ast.ts";
import { charge, chargeString, sizes } from "../values/budget.ts";
import { StarlarkBytes } from "../values/bytes.ts";
import { type StarlarkDict, toDict } from "../values/dict.ts";
import { fail } from "../values/error.ts";
import { StarlarkFloat } from "../values/float.ts";
import { toRepr, toText } from "../values/format.ts";
import { type Cell, StarlarkFunction } from "../values/function.ts";
import { type StarlarkList, toList, toTuple } from "../values/sequence.ts";
import { applyUnary, getSlice, toOperator } from "../values/operators.ts";
import type { Value } from "../values/value.ts";
import { lowerBinary } from "./arithmetic.ts";
import { lowerReference } from "./assign.ts";
import { type Captured, type Evaluate, holds, lowerList, readSlot } from "./assembler.ts";
import { lowerCall } from "./calls.ts";
import type { FunctionContext } from "./context.ts";
import { lowerLoop } from "./loops.ts";

type Kind = Expression["kind"];
type Lower<Each extends Kind> = (context: FunctionContext, node: Expression<Each>) => Evaluate;

/** The closure of an expression. Calls and loops in it become operations that run before. */
export function lowerExpression(context: FunctionContext, expression: Expression): Evaluate {
  return (lowerings[expression.kind] as Lower<Kind>)(context, expression);
}

const lowerings: { readonly [Each in Kind]: Lower<Each> } = {
  name: (context, name) => context.read(name),
  literal: (_, { token, value: literal }) => {
    let value: Value = literal;
    if (token === "float literal") value = new StarlarkFloat(Number(literal));
    else if (token === "bytes literal") value = new StarlarkBytes(String(literal));
    return () => value;
  },
  format: (context, { parts, start }) => {
    const expressions = parts.flatMap((part) => (typeof part === "string" ? [] : part.value));
    return lowerOperation(context, expressions, start, (values) => {
      let text = "";
      let index = 0;
      for (const part of parts) {
        if (typeof part === "string") text += part;
        else text += (part.conversion === "r" ? toRepr : toText)(values[index++] as Value);
      }
      chargeString(text.length);
      return text;
    });
  },
  parenthesized: (context, { value }) => context.lower(value),
  tuple: (context, { items, start }) => lowerOperation(context, items, start, toTuple),
  list: (context, { items, start }) => lowerOperation(context, items, start, toList),
  dict: (context, { entries, start }) => {
    const operands = context.operands(entries.flatMap(({ key, value }) => [key, value]));
    return (slots) => {
      machine.site = start;
      const dict = toDict();
      for (const [index, { at }] of entries.entries()) {
        const key = (operands[2 * index] as Evaluate)(slots);
        const value = (operands[2 * index + 1] as Evaluate)(slots);
        machine.site = at;
        dict.set(key, value);
        if (dict.length === index) fail(`duplicate key: ${toRepr(key)}`);
      }
      return dict;
    };
  },
  comprehension: lowerComprehension,
  conditional: (context, { condition, whenTrue, whenFalse, start }) => {
    const test = context.lower(condition);
    const choices = [whenTrue, whenFalse].map((choice) =>
      context.capture(() => context.lower(choice)),
    );
    return lowerChoice(context, start, test, choices);
  },
  unary: (context, { operator, operand, start }) => {
    if (operator !== "not")
      return lowerOperation(context, [operand], start, ([value]) =>
        applyUnary(operator, value as Value),
      );
    const evaluate = context.lower(operand);
    return (slots) => !holds(evaluate(slots));
  },
  binary: (context, expression) => {
    const { operator, at, left, right } = expression;
    if (operator === "and" || operator === "or") return lowerShortCircuit(context, expression);
    const [x, y] = context.operands([left, right]) as [Evaluate, Evaluate];
    return lowerBinary(operator, x, y, at, toOperator(operator));
  },
  dot: (context, expression) => lowerReference(context, expression).read,
  index: (context, expression) => lowerReference(context, expression).read,
  slice: (context, { object, low, high, step, at }) =>
    lowerOperation(context, [object, low, high, step], at, (values) =>
      getSlice(...(values as [Value, Value, Value, Value])),
    ),
  call: lowerCall,
  lambda: (context, { code, body }) => lowerClosure(context, code, body),
};

/** The closure of an operation on the values of all operands. */
function lowerOperation(
  context: FunctionContext,
  operands: readonly (Expression | undefined)[],
  site: number,
  apply: (values: Value[]) => Value,
): Evaluate {
  const compute = lowerList(context.operands(operands));
  return (slots) => {
    const values = compute(slots);
    machine.site = site;
    return apply(values);
  };
}

/** The first value if the condition holds, else the second one. Only that one is computed. */
function lowerChoice(
  context: FunctionContext,
  site: number,
  test: Evaluate,
  choices: readonly Captured<Evaluate>[],
): Evaluate {
  const [whenTrue, whenFalse] = choices.map(({ result }) => result) as [Evaluate, Evaluate];
  if (choices.every(({ items }) => items.length === 0))
    return (slots) => (holds(test(slots)) ? whenTrue(slots) : whenFalse(slots));
  const slot = context.temporary();
  const [first, second] = choices.map(({ items, result }) => () => {
    context.append(items);
    context.storeInto(slot, result, site);
  }) as [() => void, () => void];
  context.branch([{ site, condition: () => test, body: first }], second);
  return readSlot(slot);
}

function lowerShortCircuit(
  context: FunctionContext,
  { operator, left, right, start }: Expression<"binary">,
): Evaluate {
  const slot = context.temporary();
  const evaluate = context.lower(left);
  const first = { result: readSlot(slot), items: [] };
  const second = context.capture(() => context.lower(right));
  const test: Evaluate = (slots) => holds((slots[slot] = evaluate(slots)));
  return lowerChoice(context, start, test, operator === "and" ? [second, first] : [first, second]);
}

/** The closure of a comprehension, after the operations of its loops. */
function lowerComprehension(
  context: FunctionContext,
  { body, clauses, start }: Expression<"comprehension">,
): Evaluate {
  const slot = context.temporary();
  const isDict = "key" in body;
  context.effect(start, (slots) => {
    machine.site = start;
    slots[slot] = isDict ? toDict() : toList([]);
  });
  const lowerBody = (): void => {
    const site = isDict ? body.at : body.start;
    const [first, second] = context.operands(isDict ? [body.key, body.value] : [body]);
    context.effect(site, (slots) => {
      const item = (first as Evaluate)(slots);
      const value = second?.(slots);
      machine.site = site;
      if (value === undefined) (slots[slot] as StarlarkList).append(item);
      else (slots[slot] as StarlarkDict).set(item, value);
    });
  };
  const lowerClauses = (index: number): void => {
    const clause = clauses[index];
    const inner = (): void => lowerClauses(index + 1);
    if (clause === undefined) lowerBody();
    else if (clause.kind === "for") lowerLoop(context, { ...clause, site: clause.start }, inner);
    else {
      const condition = (): Evaluate => context.lower(clause.condition);
      context.branch([{ site: clause.start, condition, body: inner }]);
    }
  };
  lowerClauses(0);
  return readSlot(slot);
}

/** The closure that makes a function: it computes the defaults and captures the cells. */
export function lowerClosure(
  context: FunctionContext,
  scope: FunctionScope | undefined,
  body: readonly Statement[] | Expression,
): Evaluate {
  if (scope === undefined) throw new TypeError("a function is not resolved");
  const code = context.lowering.lowerFunction(context.module, scope, body);
  const { parameters, free, start } = scope;
  const defaults = context.operands(parameters.map(({ fallback }) => fallback));
  const values = parameters.map(({ fallback }, index) => fallback && defaults[index]);
  const captured = free.map((outer) => context.toSlot(outer));
  const size = sizes.object + sizes.slot * (captured.length + values.length);
  return (slots) => {
    machine.site = start;
    charge(size);
    return new StarlarkFunction(
      code,
      values.map((evaluate) => evaluate?.(slots)),
      captured.map((slot) => slots[slot] as Cell),
    );
  };
}
