import type {
  DictExpression,
  Expression,
  FormatExpression,
  LambdaExpression,
  Parameter,
} from "../syntax/ast.ts";
import { withoutParentheses } from "../syntax/ast.ts";
import { charge, chargeItems, chargeString, sizes } from "../values/budget.ts";
import { StarlarkBytes } from "../values/bytes.ts";
import { StarlarkDict } from "../values/dict.ts";
import { StarlarkFloat } from "../values/float.ts";
import { toRepr, toText } from "../values/format-value.ts";
import { Cell, StarlarkFunction } from "../values/function.ts";
import type { Code } from "../values/function.ts";
import { StarlarkList } from "../values/list.ts";
import { StarlarkTuple } from "../values/tuple.ts";
import type { Value } from "../values/value.ts";
import { lowerBinary, lowerIndex } from "./arithmetic.ts";
import { lowerCall } from "./calls.ts";
import { lowerComprehension } from "./comprehensions.ts";
import { readSlot } from "./context.ts";
import type { FunctionContext } from "./context.ts";
import { addEntryAt, getAttributeAt, getSliceAt, holds, unaryAt } from "./evaluate.ts";
import type { Evaluate } from "./evaluate.ts";
import { canSuspend } from "./suspension.ts";

/** The closure of an expression. Calls and loops in it become operations that run before. */
export function lowerExpression(context: FunctionContext, expression: Expression): Evaluate {
  switch (expression.kind) {
    case "name":
      return context.read(expression);
    case "literal": {
      const value = toConstant(expression);
      return () => value;
    }
    case "format":
      return lowerFormat(context, expression);
    case "parenthesized":
      return lowerExpression(context, expression.value);
    case "tuple":
      return lowerTuple(context, expression.items);
    case "list":
      return lowerList(context, expression.items);
    case "dict":
      return lowerDict(context, expression);
    case "comprehension":
      return lowerComprehension(context, expression);
    case "conditional":
      return lowerConditional(context, expression);
    case "unary":
      return lowerUnary(context, expression);
    case "binary":
      return lowerOperator(context, expression);
    case "dot": {
      const object = context.lower(expression.object);
      const { name, at } = expression;
      return (slots) => getAttributeAt(object(slots), name, at);
    }
    case "index": {
      const [object, index] = context.operands([expression.object, expression.index]) as [
        Evaluate,
        Evaluate,
      ];
      const key = context.operand(expression.index, index);
      return lowerIndex(context.operand(expression.object, object), key, expression.at);
    }
    case "slice":
      return lowerSlice(context, expression);
    case "call":
      return lowerCall(context, expression);
    case "lambda":
      return lowerLambda(context, expression);
  }
}

function toConstant(literal: Expression & { readonly kind: "literal" }): Value {
  if (literal.token === "float literal") return new StarlarkFloat(literal.value as number);
  return literal.token === "bytes literal"
    ? new StarlarkBytes(literal.value as string)
    : literal.value;
}

function lowerFormat(context: FunctionContext, expression: FormatExpression): Evaluate {
  const values = context.operands(
    expression.parts.flatMap((part) => (typeof part === "string" ? [] : [part.value])),
  );
  let next = 0;
  const parts = expression.parts.map((part): Evaluate => {
    if (typeof part === "string") return () => part;
    const value = values[next++] as Evaluate;
    return part.conversion === "r"
      ? (slots) => toRepr(value(slots))
      : (slots) => toText(value(slots));
  });
  return (slots) => {
    let text = "";
    for (const part of parts) text += part(slots) as string;
    chargeString(text.length);
    return text;
  };
}

function lowerTuple(context: FunctionContext, items: readonly Expression[]): Evaluate {
  const [first, second, ...rest] = context.operands(items);
  if (first !== undefined && second !== undefined && rest.length === 0) {
    return (slots) => {
      charge(sizes.tuple + 2 * sizes.slot);
      return new StarlarkTuple([first(slots), second(slots)]);
    };
  }
  const all = first === undefined ? [] : second === undefined ? [first] : [first, second, ...rest];
  return (slots) => {
    chargeItems(all.length);
    return new StarlarkTuple(all.map((item) => item(slots)));
  };
}

function lowerList(context: FunctionContext, items: readonly Expression[]): Evaluate {
  const all = context.operands(items);
  return (slots) => {
    chargeItems(all.length);
    return new StarlarkList(all.map((item) => item(slots)));
  };
}

function lowerDict(context: FunctionContext, { entries }: DictExpression): Evaluate {
  const operands = context.operands(entries.flatMap((entry) => [entry.key, entry.value]));
  const pairs = entries.map(({ at }, index) => ({
    key: operands[2 * index] as Evaluate,
    value: operands[2 * index + 1] as Evaluate,
    at,
  }));
  return (slots) => {
    charge(sizes.dict);
    const dict = new StarlarkDict();
    for (const { key, value, at } of pairs) addEntryAt(dict, key(slots), value(slots), at);
    return dict;
  };
}

function lowerConditional(
  context: FunctionContext,
  expression: Expression & { readonly kind: "conditional" },
): Evaluate {
  const condition = context.lower(expression.condition);
  if (!canSuspend(expression.whenTrue) && !canSuspend(expression.whenFalse)) {
    const then = context.lower(expression.whenTrue);
    const otherwise = context.lower(expression.whenFalse);
    return (slots) => (holds(condition(slots)) ? then(slots) : otherwise(slots));
  }
  const { assembler } = context;
  const slot = context.temporary();
  const [onFalse, end] = [assembler.label(), assembler.label()];
  assembler.control(expression.start, (next) => {
    const { index } = onFalse;
    return (slots) => (holds(condition(slots)) ? next : index);
  });
  lowerInto(context, expression.whenTrue, slot);
  assembler.jump(end);
  assembler.place(onFalse);
  lowerInto(context, expression.whenFalse, slot);
  assembler.place(end);
  return readSlot(slot);
}

/** Computes a value into a slot. */
function lowerInto(context: FunctionContext, expression: Expression, slot: number): void {
  const evaluate = context.lower(expression);
  context.assembler.effect(expression.start, (slots) => {
    slots[slot] = evaluate(slots);
  });
}

function lowerUnary(
  context: FunctionContext,
  expression: Expression & { readonly kind: "unary" },
): Evaluate {
  const { operator, start } = expression;
  const inner = withoutParentheses(expression.operand);
  if (
    operator === "-" &&
    inner.kind === "literal" &&
    typeof inner.value === "number" &&
    inner.token === "int literal"
  ) {
    const value = 0 - inner.value;
    return () => value;
  }
  const operand = context.lower(expression.operand);
  if (operator === "not") return (slots) => !holds(operand(slots));
  return (slots) => unaryAt(operator, operand(slots), start);
}

function lowerOperator(
  context: FunctionContext,
  expression: Expression & { readonly kind: "binary" },
): Evaluate {
  const { operator, at } = expression;
  if (operator === "and" || operator === "or") return lowerShortCircuit(context, expression);
  const [left, right] = context.operands([expression.left, expression.right]) as [
    Evaluate,
    Evaluate,
  ];
  return lowerBinary(
    operator,
    context.operand(expression.left, left),
    context.operand(expression.right, right),
    at,
  );
}

function lowerShortCircuit(
  context: FunctionContext,
  expression: Expression & { readonly kind: "binary" },
): Evaluate {
  const left = context.lower(expression.left);
  const wanted = expression.operator === "and";
  if (!canSuspend(expression.right)) {
    const right = context.lower(expression.right);
    return (slots) => {
      const value = left(slots);
      return holds(value) === wanted ? right(slots) : value;
    };
  }
  const { assembler } = context;
  const slot = context.temporary();
  const end = assembler.label();
  assembler.control(expression.start, (next) => {
    const { index } = end;
    return (slots) => {
      const value = left(slots);
      slots[slot] = value;
      return holds(value) === wanted ? next : index;
    };
  });
  lowerInto(context, expression.right, slot);
  assembler.place(end);
  return readSlot(slot);
}

function lowerSlice(
  context: FunctionContext,
  expression: Expression & { readonly kind: "slice" },
): Evaluate {
  const { object, low, high, step, at } = expression;
  const bounds = [low, high, step].filter((bound) => bound !== undefined);
  const [target, ...rest] = context.operands([object, ...bounds]) as [Evaluate, ...Evaluate[]];
  const none: Evaluate = () => null;
  const take = (bound: Expression | undefined): Evaluate =>
    bound === undefined ? none : (rest.shift() as Evaluate);
  const [from, to, stride] = [take(low), take(high), take(step)];
  return (slots) => getSliceAt(target(slots), from(slots), to(slots), stride(slots), at);
}

function lowerLambda(context: FunctionContext, expression: LambdaExpression): Evaluate {
  if (expression.code === undefined) throw new TypeError("a lambda is not resolved");
  const code = context.lowerFunction(context.module, expression.code, expression.body);
  return lowerClosure(context, code, expression.code.parameters, expression.code.free);
}

/** The closure that makes a function: it computes the defaults and captures the cells. */
export function lowerClosure(
  context: FunctionContext,
  code: Code,
  parameters: readonly Parameter[],
  free: readonly { readonly outer: Parameters<FunctionContext["toSlot"]>[0] }[],
): Evaluate {
  const named = parameters.filter(({ kind }) => kind === "required" || kind === "optional");
  const first = named.findIndex(({ kind }) => kind === "optional");
  const positional = named.length - code.keywordOnly;
  // Required keyword-only parameters have no default, but their place in the list.
  const start = Math.min(
    first === -1 ? named.length : first,
    code.keywordOnly > 0 ? positional : named.length,
  );
  const withDefault = named.slice(start);
  const defaults = context.operands(withDefault.flatMap(({ fallback }) => fallback ?? []));
  let next = 0;
  const values = withDefault.map(({ fallback }) =>
    fallback === undefined ? undefined : defaults[next++],
  );
  const captured = free.map(({ outer }) => context.toSlot(outer));
  const size = sizes.object + sizes.slot * (captured.length + values.length);
  return (slots) => {
    charge(size);
    return new StarlarkFunction(
      code,
      values.map((evaluate) => evaluate?.(slots)),
      captured.map((slot) => slots[slot] as Cell),
    );
  };
}
