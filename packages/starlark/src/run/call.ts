import { fail } from "../values/error.ts";
import { budget, spend } from "../values/budget.ts";
import { sliceItems, StarlarkTuple } from "../values/sequence.ts";
import { toDict } from "../values/dict.ts";
import { Builtin, StarlarkFunction } from "../values/function.ts";
import type { BuiltinResult, CallbackTask, Operation, Slot } from "../values/function.ts";
import { quote } from "../values/quote.ts";
import { fromUtf8 } from "../values/utf8.ts";
import { type NamedArguments, StarlarkObject, typeName, type Value } from "../values/value.ts";
import { machine, nativeCode, pushFrame, signals, tick } from "./machine.ts";

/** The signal of a call that is complete: its result is in the destination. */
export const completed = 0;

/** Calls a value. Returns `completed`, or the signal of a call that is not. */
export function callValue(
  callee: Value,
  args: Value[],
  named: NamedArguments,
  slots: Slot[],
  destination: number,
): number {
  if (callee instanceof StarlarkFunction)
    return pushFrame(callee.code, bindArguments(callee, args, named), destination);
  if (callee instanceof Builtin) {
    machine.builtin = callee.name;
    return acceptResult(callee.call(args, named), callee.name, slots, destination);
  }
  return fail(`invalid call of non-function (${typeName(callee)})`);
}

/** Ends a call of a built-in function or a method: its result is stored, or the call waits for it. */
export function acceptResult(
  result: BuiltinResult,
  name: string,
  slots: Slot[],
  destination: number,
): number {
  budget.fuel--;
  machine.builtin = undefined;
  if (typeof result !== "object" || result === null || result instanceof StarlarkObject) {
    slots[destination] = result;
    return completed;
  }
  if (result instanceof Promise) {
    machine.pending = { name, promise: result, destination };
    return signals.wait;
  }
  return pushFrame(nativeCode(name, taskOperations), [null, false], destination, result);
}

/** The slots of a task: the result of its last call, and whether it made one. */
const taskOperations: readonly Operation[] = [
  (slots) => {
    const task = machine.frame?.task as CallbackTask;
    for (;;) {
      const next = task.step(slots[1] === true ? (slots[0] as Value) : undefined);
      if ("result" in next) {
        task.dispose?.();
        machine.value = next.result;
        return signals.return;
      }
      slots[1] = true;
      const signal = callValue(next.callee, next.arguments, [], slots, 0);
      if (signal !== completed) return signal;
      if (budget.fuel < 0 && tick(0) !== 0) return signals.yield;
    }
  },
];

/** The slots of a call: arguments are bound to parameters (specification, "Functions"). */
function bindArguments(callee: StarlarkFunction, args: Value[], named: NamedArguments): Slot[] {
  const { code, defaults, free } = callee;
  const { name, parameters, keywordOnly, restSlot, namedRestSlot, freeSlot, emptyFrame } = code;
  const slots: Slot[] = emptyFrame.slice();
  for (let index = 0; index < free.length; index++) slots[freeSlot + index] = free[index];
  const given = args.length + named.length;
  if (parameters.length === 0 && given > 0 && restSlot < 0 && namedRestSlot < 0)
    fail(`function ${name} accepts no arguments (${given} given)`);
  const positional = parameters.length - keywordOnly;
  if (args.length > positional && restSlot < 0) {
    const atMost = defaults[positional - 1] === undefined ? "" : "at most ";
    const count = `${atMost}${positional} positional argument${toPlural(positional)}`;
    fail(`function ${name} accepts ${count} (${args.length} given)`);
  }
  const used = Math.min(args.length, positional);
  for (let index = 0; index < used; index++) slots[index] = args[index];
  if (restSlot >= 0)
    slots[restSlot] = new StarlarkTuple(sliceItems(args, used, args.length - used, 1));
  const rest = namedRestSlot >= 0 ? toDict() : undefined;
  if (rest !== undefined) slots[namedRestSlot] = rest;
  for (const [key, value] of named) {
    spend((key.length >> 6) + (parameters.length >> 4));
    const index = parameters.indexOf(fromUtf8(key));
    if (index < 0 && rest === undefined)
      fail(`function ${name} got an unexpected keyword argument ${quote(key)}`);
    if ((index < 0 ? rest?.get(key) : slots[index]) !== undefined)
      fail(`function ${name} got multiple values for parameter ${quote(key)}`);
    if (index < 0) rest?.set(key, value);
    else slots[index] = value;
  }
  const missing: string[] = [];
  for (let index = used; index < parameters.length; index++) {
    if (slots[index] === undefined) slots[index] = defaults[index];
    if (slots[index] === undefined) missing.push(parameters[index] as string);
  }
  if (missing.length === 0) return slots;
  const { length } = missing;
  return fail(
    `function ${name} missing ${length} argument${toPlural(length)} (${missing.join(", ")})`,
  );
}

function toPlural(count: number): string {
  return count === 1 ? "" : "s";
}
