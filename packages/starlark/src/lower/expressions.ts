import { machine } from "../run/machine.ts";
import type { Expression, FunctionScope, Parameter, Statement } from "../syntax/ast.ts";
import { charge, chargeItems, chargeString, sizes } from "../values/budget.ts";
import { StarlarkBytes } from "../values/bytes.ts";
import { StarlarkDict, toDict } from "../values/dict.ts";
import { fail } from "../values/error.ts";
import { StarlarkFloat } from "../values/float.ts";
import { toRepr, toText } from "../values/format.ts";
import { type Cell, StarlarkFunction } from "../values/function.ts";
import { StarlarkList, StarlarkTuple, toList } from "../values/sequence.ts";
import { applyUnary, getSlice } from "../values/operators.ts";
import type { Value } from "../values/value.ts";
import { foldConstants, lowerBinary, lowerIndex } from "./arithmetic.ts";
import { lowerAttribute } from "./assign.ts";
import { holds, lowerList, readSlot } from "./assembler.ts";
import type { Captured, CapturedItems, Evaluate } from "./assembler.ts";
import { lowerCall } from "./calls.ts";
import { type FunctionContext, toConstant } from "./context.ts";
import { lowerLoop } from "./loops.ts";

/** The closure of an expression. Calls and loops in it become operations that run before. */
export function lowerExpression(context: FunctionContext, expression: Expression): Evaluate {
  const lower = lowerings[expression.kind] as (
    context: FunctionContext,
    expression: Expression,
  ) => Evaluate;
  return lower(context, expression);
}

type Lowerings = {
  readonly [Kind in Expression["kind"]]: (
    context: FunctionContext,
    expression: Extract<Expression, { readonly kind: Kind }>,
  ) => Evaluate;
};

const lowerings: Lowerings = {
  name: (context, name) => context.read(name),
  literal: (_, { token, value: literal }) => {
    const value =
      token === "float literal"
        ? new StarlarkFloat(literal as number)
        : token === "bytes literal"
          ? new StarlarkBytes(literal as string)
          : literal;
    return () => value;
  },
  format: (context, { parts, start }) => {
    const values = context.operands(
      parts.flatMap((part) => (typeof part === "string" ? [] : [part.value])),
    );
    return (slots) => {
      let text = "";
      let index = 0;
      for (const part of parts) {
        if (typeof part === "string") text += part;
        else {
          const value = (values[index++] as Evaluate)(slots);
          machine.site = start;
          text += part.conversion === "r" ? toRepr(value) : toText(value);
        }
      }
      machine.site = start;
      chargeString(text.length);
      return text;
    };
  },
  parenthesized: (context, { value }) => context.lower(value),
  tuple: (context, { items, start }) => {
    const compute = lowerList(context.operands(items));
    return (slots) => {
      machine.site = start;
      chargeItems(items.length);
      return new StarlarkTuple(compute(slots));
    };
  },
  list: (context, { items, start }) => {
    const compute = lowerList(context.operands(items));
    return (slots) => {
      machine.site = start;
      chargeItems(items.length);
      return new StarlarkList(compute(slots));
    };
  },
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
  conditional: (context, { condition, whenTrue, whenFalse, start: site }) => {
    const test = context.lower(condition);
    const [first, second] = [context.capture(whenTrue), context.capture(whenFalse)];
    if (first.items.length + second.items.length === 0)
      return (slots) => (holds(test(slots)) ? first.result(slots) : second.result(slots));
    const slot = context.temporary();
    const body = captureInto(context, slot, first, site);
    const otherwise = captureInto(context, slot, second, site);
    context.assembler.branch([{ site, condition: { result: test, items: [] }, body }], otherwise);
    return readSlot(slot);
  },
  unary: (context, { operator, operand, start }) => {
    const evaluate = context.lower(operand);
    const constant = toConstant(operand);
    if (operator === "-" && constant !== undefined) return () => 0 - constant;
    if (operator === "not") return (slots) => !holds(evaluate(slots));
    return (slots) => {
      const value = evaluate(slots);
      machine.site = start;
      return applyUnary(operator, value);
    };
  },
  binary: (context, expression) => {
    const { operator, at, left, right } = expression;
    if (operator === "and" || operator === "or") return lowerShortCircuit(context, expression);
    const [x, y] = context.operands([left, right]) as [Evaluate, Evaluate];
    const folded = foldConstants(operator, left, right);
    return folded === undefined ? lowerBinary(operator, x, y, at) : () => folded;
  },
  dot: (context, { object, name, at }) => lowerAttribute(context.lower(object), name, at),
  index: (context, expression) => {
    const [object, index] = context.operands([expression.object, expression.index]);
    return lowerIndex(object as Evaluate, index as Evaluate, expression.at);
  },
  slice: (context, { object, low, high, step, at }) => {
    const bounds = [low, high, step];
    const given = bounds.filter((bound) => bound !== undefined);
    const [target, ...rest] = context.operands([object, ...given]) as [Evaluate, ...Evaluate[]];
    const [from, to, stride] = bounds.map((bound) =>
      bound === undefined ? () => null : rest.shift(),
    ) as [Evaluate, Evaluate, Evaluate];
    return (slots) => {
      const sequence = target(slots);
      const start = from(slots);
      const end = to(slots);
      const distance = stride(slots);
      machine.site = at;
      return getSlice(sequence, start, end, distance);
    };
  },
  call: lowerCall,
  lambda: (context, { code, body }) => lowerClosure(context, code, body),
};

/** The operations that compute a value into a slot. */
function captureInto(
  context: FunctionContext,
  slot: number,
  { result, items }: Captured<Evaluate>,
  site: number,
): CapturedItems {
  return context.assembler.capture(() => {
    context.assembler.append(items);
    context.storeInto(slot, result, site);
  }).items;
}

function lowerShortCircuit(
  context: FunctionContext,
  { operator, left, right, start: site }: Expression<"binary">,
): Evaluate {
  const isAnd = operator === "and";
  const first = context.lower(left);
  const second = context.capture(right);
  if (second.items.length === 0) {
    return (slots) => {
      const value = first(slots);
      return holds(value) === isAnd ? second.result(slots) : value;
    };
  }
  const slot = context.temporary();
  context.storeInto(slot, first, site);
  const test: Evaluate = (slots) => holds(slots[slot] as Value) === isAnd;
  const body = captureInto(context, slot, second, site);
  context.assembler.branch([{ site, condition: { result: test, items: [] }, body }], []);
  return readSlot(slot);
}

/** The closure of a comprehension, after the operations of its loops. */
function lowerComprehension(
  context: FunctionContext,
  { body, clauses, start }: Expression<"comprehension">,
): Evaluate {
  const { assembler } = context;
  const slot = context.temporary();
  const isDict = "key" in body;
  assembler.effect(start, (slots) => {
    machine.site = start;
    slots[slot] = isDict ? toDict() : toList([]);
  });
  const lowerBody = (): void => {
    const site = isDict ? body.at : body.start;
    const [first, second] = context.operands(isDict ? [body.key, body.value] : [body]);
    assembler.effect(site, (slots) => {
      const item = (first as Evaluate)(slots);
      const value = second?.(slots);
      machine.site = site;
      if (value === undefined) (slots[slot] as StarlarkList).append(item);
      else (slots[slot] as StarlarkDict).set(item, value);
    });
  };
  const lowerClauses = (index: number): void => {
    const clause = clauses[index];
    if (clause === undefined) lowerBody();
    else if (clause.kind === "for")
      lowerLoop(context, { ...clause, site: clause.start }, () => lowerClauses(index + 1));
    else {
      const condition = context.capture(clause.condition);
      const { items } = assembler.capture(() => lowerClauses(index + 1));
      assembler.branch([{ site: clause.start, condition, body: items }], []);
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
  const { parameters, free, start: site } = scope;
  const named = parameters.filter(({ kind }) => kind === "required" || kind === "optional");
  const first = named.findIndex(({ kind }) => kind === "optional");
  // Required keyword-only parameters have no default, but their place in the list.
  const start = Math.min(first === -1 ? named.length : first, named.length - code.keywordOnly);
  const withDefault: readonly Parameter[] = named.slice(start);
  const defaults = context.operands(withDefault.flatMap(({ fallback }) => fallback ?? []));
  const values = withDefault.map(({ fallback }) => fallback && defaults.shift());
  const captured = free.map(({ outer }) => context.toSlot(outer));
  const size = sizes.object + sizes.slot * (captured.length + values.length);
  return (slots) => {
    machine.site = site;
    charge(size);
    return new StarlarkFunction(
      code,
      values.map((evaluate) => evaluate?.(slots)),
      captured.map((slot) => slots[slot] as Cell),
    );
  };
}
