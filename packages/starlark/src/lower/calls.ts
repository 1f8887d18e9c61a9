import { getAttribute, methodsNamed } from "../lib/attributes.ts";
import { acceptResult, callValue, completed } from "../run/call.ts";
import { machine, tick } from "../run/machine.ts";
import { type Expression, withoutParentheses } from "../syntax/ast.ts";
import { budget, chargeItems } from "../values/budget.ts";
import { StarlarkDict } from "../values/dict.ts";
import { fail } from "../values/error.ts";
import type { Builtin, Slot } from "../values/function.ts";
import { toUtf8 } from "../values/utf8.ts";
import { toItems, typeName, type Value } from "../values/value.ts";
import { type Evaluate, lowerList, readSlot } from "./assembler.ts";
import type { FunctionContext } from "./context.ts";

/** Computes the arguments of a call: returns those by position, and adds those by name to `named`. */
type LoweredArguments = (slots: Slot[], named: [string, Value][]) => Value[];

/** Built-in functions that call back if they get a key, and how many arguments without a name are certainly none. */
const argumentsBeforeKey: ReadonlyMap<string, number> = new Map([
  ["sorted", 1],
  ["min", Infinity],
  ["max", Infinity],
]);

/** Whether a call is one of a function of the language that ends at once. */
function isImmediateCall({ callee, arguments: list }: Expression<"call">): boolean {
  if (callee.kind !== "name" || callee.binding?.scope !== "universal") return false;
  const limit = argumentsBeforeKey.get(callee.name);
  if (limit === undefined) return true;
  return list.every(({ kind, name }, index) =>
    kind === "positional" ? index < limit : name === "reverse",
  );
}

/** The closure of a call. Only calls of built-in functions that end at once are no operation. */
export function lowerCall(context: FunctionContext, call: Expression<"call">): Evaluate {
  const { at } = call;
  const callee = withoutParentheses(call.callee);
  const list = context.capture(() => lowerArguments(context, call));
  if (isImmediateCall(call)) {
    context.append(list.items);
    const builtin = context.lower(callee)([]) as Builtin;
    return (slots) => {
      const named: [string, Value][] = [];
      const args = list.result(slots, named);
      machine.site = at;
      machine.builtin = builtin.name;
      budget.fuel--;
      const result = builtin.call(args, named) as Value;
      machine.builtin = undefined;
      return result;
    };
  }
  const slot = context.temporary();
  // If the arguments can be suspended, the method is looked up before and stored.
  const method = callee.kind === "dot" && list.items.length === 0 ? callee : undefined;
  const evaluate = context.lower(method?.object ?? callee);
  const [target, compute] = context.appendAfter(evaluate, list, callee.start);
  const methods = method && methodsNamed(method.name);
  context.control(at, (next) => (slots) => {
    const object = target(slots);
    const found = methods?.get(typeName(object));
    let value = object;
    if (method !== undefined && found === undefined) {
      machine.site = method.at;
      value = getAttribute(object, method.name);
    }
    const named: [string, Value][] = [];
    const args = compute(slots, named);
    machine.site = at;
    if (method === undefined || found === undefined)
      return afterCall(callValue(value, args, named, slots, slot), next);
    machine.builtin = method.name;
    const result = found(object, args, named);
    return afterCall(acceptResult(result, method.name, slots, slot), next);
  });
  return readSlot(slot);
}

/** Ends the operation of a call: the next one follows if the call is complete. */
export function afterCall(signal: number, next: number): number {
  if (signal !== completed) return signal;
  return budget.fuel < 0 ? tick(next) : next;
}

/** The arguments of a call in their order: the resolver rejects those that follow one with a star. */
function lowerArguments(context: FunctionContext, call: Expression<"call">): LoweredArguments {
  const values = context.operands(call.arguments.map(({ value }) => value));
  if (call.arguments.every(({ kind }) => kind === "positional")) return lowerList(values);
  const list = call.arguments.map(({ kind, name = "" }, index) => ({
    kind,
    name: toUtf8(name),
    evaluate: values[index] as Evaluate,
  }));
  return (slots, named) => {
    const args: Value[] = [];
    for (const { kind, name, evaluate } of list) {
      const value = evaluate(slots);
      machine.site = call.at;
      if (kind === "positional") args.push(value);
      else if (kind === "named") named.push([name, value]);
      else if (kind === "*") for (const item of toStarItems(value)) args.push(item);
      else for (const entry of toStarEntries(value)) named.push(entry);
    }
    return args;
  };
}

function toStarItems(value: Value): readonly Value[] {
  const items = toItems(value) ?? fail(`argument after * must be iterable, not ${typeName(value)}`);
  chargeItems(items.length);
  return items;
}

function toStarEntries(value: Value): [string, Value][] {
  if (!(value instanceof StarlarkDict))
    return fail(`argument after ** must be a mapping, not ${typeName(value)}`);
  return Array.from(value.entries(), ([key, item]) =>
    typeof key === "string" ? [key, item] : fail(`keywords must be strings, not ${typeName(key)}`),
  );
}
