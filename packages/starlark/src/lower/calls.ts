import { methodFinder } from "../lib/attributes.ts";
import type { Method } from "../lib/method.ts";
import { fail } from "../values/error.ts";
import { newSlots } from "../run/bind.ts";
import {
  acceptResult,
  callValue,
  completed,
  enterFunction,
  runBuiltin,
  toStarlarkError,
} from "../run/call.ts";
import { tick } from "../run/machine.ts";
import type { Argument, CallExpression, Expression } from "../syntax/ast.ts";
import { withoutParentheses } from "../syntax/ast.ts";
import { budget } from "../values/budget.ts";
import { StarlarkDict } from "../values/dict.ts";
import { Builtin, StarlarkFunction } from "../values/function.ts";
import type { Slot } from "../values/function.ts";
import { StarlarkList } from "../values/list.ts";
import { toUtf8 } from "../values/utf8.ts";
import { toItems, typeName } from "../values/value.ts";
import type { NamedArguments, Value } from "../values/value.ts";
import { readSlot } from "./context.ts";
import type { FunctionContext } from "./context.ts";
import { getAttributeAt, withSite } from "./evaluate.ts";
import type { Evaluate } from "./evaluate.ts";
import { canSuspend, isImmediateCall } from "./suspension.ts";

/** The arguments of a call as they are computed. */
interface LoweredArguments {
  readonly positional: readonly Evaluate[];
  readonly named: readonly (readonly [name: string, evaluate: Evaluate])[];
  readonly star: Evaluate | undefined;
  readonly starStar: Evaluate | undefined;
}

/** The closure of a call. Only calls of built-in functions that end at once are no operation. */
export function lowerCall(context: FunctionContext, call: CallExpression): Evaluate {
  const callee = withoutParentheses(call.callee);
  if (isImmediateCall(call)) return lowerImmediate(context, call);
  const slot = context.temporary();
  const argumentsSuspend = call.arguments.some((argument) => canSuspend(argument.value));
  if (callee.kind === "dot" && !argumentsSuspend) lowerMethodCall(context, call, callee, slot);
  else lowerGeneralCall(context, call, slot);
  return readSlot(slot);
}

function lowerArguments(
  context: FunctionContext,
  callee: Expression,
  list: readonly Argument[],
): { readonly target: Evaluate; readonly list: LoweredArguments } {
  const ordered = [
    ...list.filter(({ kind }) => kind === "positional" || kind === "named"),
    ...list.filter(({ kind }) => kind === "*" || kind === "**"),
  ];
  const [target, ...values] = context.operands([callee, ...ordered.map(({ value }) => value)]) as [
    Evaluate,
    ...Evaluate[],
  ];
  const pick = (kind: Argument["kind"]): Evaluate[] =>
    values.filter((_, index) => ordered[index]?.kind === kind);
  const named = ordered.flatMap(({ kind, name }, index): [string, Evaluate][] =>
    kind === "named" ? [[toUtf8(name as string), values[index] as Evaluate]] : [],
  );
  return {
    target,
    list: { positional: pick("positional"), named, star: pick("*")[0], starStar: pick("**")[0] },
  };
}

/** The positional arguments of a call. */
function toPositional({ positional, star }: LoweredArguments): (slots: Slot[]) => Value[] {
  const [first, second, third] = positional;
  if (star !== undefined) {
    return (slots) => {
      const values = positional.map((evaluate) => evaluate(slots));
      const rest = star(slots);
      const items =
        toItems(rest) ?? fail(`argument after * must be iterable, not ${typeName(rest)}`);
      return [...values, ...items];
    };
  }
  if (first === undefined) return () => [];
  if (second === undefined) return (slots) => [first(slots)];
  if (third === undefined) return (slots) => [first(slots), second(slots)];
  return (slots) => positional.map((evaluate) => evaluate(slots));
}

const noNames: NamedArguments = [];

function toNamed({ named, starStar }: LoweredArguments): (slots: Slot[]) => NamedArguments {
  if (named.length === 0 && starStar === undefined) return () => noNames;
  return (slots) => {
    const values = named.map(([name, evaluate]): [string, Value] => [name, evaluate(slots)]);
    if (starStar === undefined) return values;
    const rest = starStar(slots);
    if (!(rest instanceof StarlarkDict))
      return fail(`argument after ** must be a mapping, not ${typeName(rest)}`);
    for (const [key, value] of rest.entries()) {
      if (typeof key !== "string") fail(`keywords must be strings, not ${typeName(key)}`);
      values.push([key as string, value]);
    }
    return values;
  };
}

/** A call of a function of the language, which is part of its expression. */
function lowerImmediate(context: FunctionContext, call: CallExpression): Evaluate {
  const { target, list } = lowerArguments(context, call.callee, call.arguments);
  const { name, call: implementation } = target([]) as Builtin;
  const positional = toPositional(list);
  const named = toNamed(list);
  const { at } = call;
  return (slots) => {
    try {
      return runBuiltin(name, implementation, positional(slots), named(slots)) as Value;
    } catch (error) {
      throw withSite(error, at);
    }
  };
}

/** Ends the operation of a call: the next one follows if the call is complete. */
function afterCall(signal: number, next: number): number {
  if (signal !== completed) return signal;
  return budget.fuel < 0 ? tick(next) : next;
}

function lowerGeneralCall(context: FunctionContext, call: CallExpression, slot: number): void {
  const { target, list } = lowerArguments(context, call.callee, call.arguments);
  const { at } = call;
  const positional = toPositional(list);
  const named = toNamed(list);
  const plain = list.named.length === 0 && list.star === undefined && list.starStar === undefined;
  const count = list.positional.length;
  const [first, second] = list.positional;
  context.assembler.control(at, (next) => {
    if (!plain || count > 2) {
      return (slots) =>
        afterCall(callValue(target(slots), positional(slots), named(slots), slots, slot), next);
    }
    return (slots) => {
      const callee = target(slots);
      if (!(callee instanceof StarlarkFunction) || callee.code.simpleArity !== count) {
        return afterCall(callValue(callee, positional(slots), noNames, slots, slot), next);
      }
      const bound = newSlots(callee);
      if (first !== undefined) bound[0] = first(slots);
      if (second !== undefined) bound[1] = second(slots);
      return afterCall(enterFunction(callee.code, bound, slots, slot), next);
    };
  });
}

function lowerMethodCall(
  context: FunctionContext,
  call: CallExpression,
  callee: Expression & { readonly kind: "dot" },
  slot: number,
): void {
  const { target: receiver, list } = lowerArguments(context, callee.object, call.arguments);
  const positional = toPositional(list);
  const named = toNamed(list);
  const { name } = callee;
  const [first, second] = list.positional;
  const plain = list.named.length === 0 && list.star === undefined && list.starStar === undefined;
  const isAppend = name === "append" && plain && first !== undefined && second === undefined;
  const findMethod = methodFinder(name);
  context.assembler.control(call.at, (next) => {
    return (slots) => {
      const object = receiver(slots);
      if (isAppend && object instanceof StarlarkList && object.isMutable) {
        object.append(first(slots));
        slots[slot] = null;
        return next;
      }
      const method = findMethod(object);
      if (method === undefined) {
        const member = getAttributeAt(object, name, callee.at);
        return afterCall(callValue(member, positional(slots), named(slots), slots, slot), next);
      }
      return afterCall(
        callMethod(method, name, object, positional(slots), named(slots), slots, slot),
        next,
      );
    };
  });
}

function callMethod(
  method: Method,
  name: string,
  receiver: Value,
  args: Value[],
  named: NamedArguments,
  slots: Slot[],
  slot: number,
): number {
  budget.fuel--;
  try {
    return acceptResult(method(receiver, args, named), name, slots, slot);
  } catch (error) {
    const fault = toStarlarkError(error);
    if (fault.callStack.length === 0) fault.callStack.push({ name, position: undefined });
    throw fault;
  }
}
