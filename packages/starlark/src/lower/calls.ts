import { getAttribute, methodFinder } from "../lib/attributes.ts";
import {
  acceptResult,
  callValue,
  completed,
  enterFunction,
  newSlots,
  runBuiltin,
} from "../run/call.ts";
import { machine, tick } from "../run/machine.ts";
import { type Argument, type Expression, withoutParentheses } from "../syntax/ast.ts";
import { budget, chargeItems } from "../values/budget.ts";
import { StarlarkDict } from "../values/dict.ts";
import { fail } from "../values/error.ts";
import { type Builtin, type Slot, StarlarkFunction } from "../values/function.ts";
import { StarlarkList } from "../values/sequence.ts";
import { toUtf8 } from "../values/utf8.ts";
import { type NamedArguments, toItems, typeName, type Value } from "../values/value.ts";
import { type Evaluate, lowerList, readSlot } from "./assembler.ts";
import type { FunctionContext } from "./context.ts";

/** The arguments of a call as they are computed. */
interface LoweredArguments {
  readonly positional: (slots: Slot[]) => Value[];
  readonly named: (slots: Slot[]) => NamedArguments;
  /** The arguments, if none has a name or a star. */
  readonly plain: readonly Evaluate[] | undefined;
}

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
  const { assembler } = context;
  const { at } = call;
  const { result: list, items } = assembler.capture(() => lowerArguments(context, call));
  const { positional, named } = list;
  if (isImmediateCall(call)) {
    assembler.append(items);
    const builtin = context.lower(call.callee)([]) as Builtin;
    return (slots) => {
      const args = positional(slots);
      const names = named(slots);
      machine.site = at;
      return runBuiltin(builtin, args, names) as Value;
    };
  }
  const slot = context.temporary();
  const callee = withoutParentheses(call.callee);
  if (callee.kind === "dot" && items.length === 0) lowerMethodCall(context, callee, list, at, slot);
  else {
    const evaluate = context.lower(callee);
    const target = items.length > 0 ? context.store(evaluate, callee.start) : evaluate;
    assembler.append(items);
    const invoke = lowerInvocation(list, at, slot);
    const { plain } = list;
    assembler.control(at, (next) => (slots) => {
      const fn = target(slots);
      if (!(fn instanceof StarlarkFunction) || fn.code.simpleArity !== plain?.length)
        return afterCall(invoke(fn, slots), next);
      const bound = newSlots(fn);
      for (let index = 0; index < plain.length; index++)
        bound[index] = (plain[index] as Evaluate)(slots);
      machine.site = at;
      return afterCall(enterFunction(fn.code, bound, slots, slot), next);
    });
  }
  return readSlot(slot);
}

/** The closure that computes arguments and calls a value with them. */
function lowerInvocation(
  { positional, named }: LoweredArguments,
  site: number,
  slot: number,
): (callee: Value, slots: Slot[]) => number {
  return (callee, slots) => {
    const args = positional(slots);
    const names = named(slots);
    machine.site = site;
    return callValue(callee, args, names, slots, slot);
  };
}

/** Ends the operation of a call: the next one follows if the call is complete. */
export function afterCall(signal: number, next: number): number {
  if (signal !== completed) return signal;
  return budget.fuel < 0 ? tick(next) : next;
}

function lowerMethodCall(
  context: FunctionContext,
  callee: Expression & { readonly kind: "dot" },
  list: LoweredArguments,
  site: number,
  slot: number,
): void {
  const receiver = context.lower(callee.object);
  const { positional, named, plain } = list;
  const { name } = callee;
  const appended = name === "append" && plain?.length === 1 ? plain[0] : undefined;
  const findMethod = methodFinder(name);
  const invoke = lowerInvocation(list, site, slot);
  context.assembler.control(site, (next) => (slots) => {
    const object = receiver(slots);
    if (appended !== undefined && object instanceof StarlarkList && object.isMutable) {
      const item = appended(slots);
      machine.site = site;
      object.append(item);
      slots[slot] = null;
      return next;
    }
    const method = findMethod(object);
    if (method === undefined) {
      machine.site = callee.at;
      const member = getAttribute(object, name);
      return afterCall(invoke(member, slots), next);
    }
    const args = positional(slots);
    const names = named(slots);
    machine.site = site;
    machine.builtin = name;
    budget.fuel--;
    const result = method(object, args, names);
    machine.builtin = undefined;
    return afterCall(acceptResult(result, name, slots, slot), next);
  });
}

/** The arguments of a call: those with a star are computed last. */
function lowerArguments(context: FunctionContext, call: Expression<"call">): LoweredArguments {
  const isStarred = ({ kind }: Argument): boolean => kind === "*" || kind === "**";
  const ordered = [
    ...call.arguments.filter((argument) => !isStarred(argument)),
    ...call.arguments.filter(isStarred),
  ];
  const values = context.operands(ordered.map(({ value }) => value));
  const pick = (kind: Argument["kind"]): Evaluate[] =>
    values.filter((_, index) => ordered[index]?.kind === kind);
  const names = ordered.flatMap(({ name }) => (name === undefined ? [] : [toUtf8(name)]));
  const positional = pick("positional");
  const compute = lowerList(positional);
  const [star] = pick("*");
  const computeAll = (slots: Slot[]): Value[] => {
    const args = compute(slots);
    const rest = (star as Evaluate)(slots);
    machine.site = call.at;
    const items = toItems(rest) ?? fail(`argument after * must be iterable, not ${typeName(rest)}`);
    chargeItems(items.length);
    return [...args, ...items];
  };
  return {
    positional: star === undefined ? compute : computeAll,
    named: lowerNamed(names, lowerList(pick("named")), pick("**")[0], call.at),
    plain: values.length === positional.length ? positional : undefined,
  };
}

const noNames: NamedArguments = [];

function lowerNamed(
  names: readonly string[],
  compute: (slots: Slot[]) => Value[],
  starStar: Evaluate | undefined,
  site: number,
): (slots: Slot[]) => NamedArguments {
  if (names.length === 0 && starStar === undefined) return () => noNames;
  return (slots) => {
    const named = compute(slots).map((value, index): [string, Value] => [
      names[index] as string,
      value,
    ]);
    if (starStar === undefined) return named;
    const rest = starStar(slots);
    machine.site = site;
    if (!(rest instanceof StarlarkDict))
      return fail(`argument after ** must be a mapping, not ${typeName(rest)}`);
    for (const [key, value] of rest.entries()) {
      if (typeof key !== "string") return fail(`keywords must be strings, not ${typeName(key)}`);
      named.push([key, value]);
    }
    return named;
  };
}
