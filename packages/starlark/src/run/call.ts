import { fail } from "../values/error.ts";
import { budget } from "../values/budget.ts";
import { sliceItems, StarlarkTuple } from "../values/sequence.ts";
import { toDict } from "../values/dict.ts";
import { Builtin, StarlarkFunction } from "../values/function.ts";
import type { BuiltinResult, CallbackTask, Code, Operation, Slot } from "../values/function.ts";
import { fromUtf8, quote } from "../values/utf8.ts";
import { type NamedArguments, StarlarkObject, typeName, type Value } from "../values/value.ts";
import {
  addToTraceback,
  machine,
  nativeCode,
  pushFrame,
  signals,
  tick,
  toFault,
} from "./machine.ts";

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
  if (callee instanceof StarlarkFunction) {
    return enterFunction(callee.code, bindArguments(callee, args, named), slots, destination);
  }
  if (callee instanceof Builtin) {
    return acceptResult(runBuiltin(callee, args, named), callee.name, slots, destination);
  }
  return fail(`invalid call of non-function (${typeName(callee)})`);
}

/** Calls a function whose arguments are in the slots of its frame. */
export function enterFunction(
  code: Code,
  bound: Slot[],
  slots: Slot[],
  destination: number,
): number {
  if (code.leaf === undefined) return pushFrame(code, bound, destination);
  slots[destination] = runLeaf(code, bound, code.leaf);
  return completed;
}

/** Runs a function that cannot be suspended, without a frame. */
function runLeaf(code: Code, bound: Slot[], leaf: (slots: Slot[]) => Value): Value {
  budget.fuel--;
  machine.site = code.start;
  try {
    return leaf(bound);
  } catch (error) {
    const fault = toFault(error);
    addToTraceback(fault, code, machine.site);
    // The place of the caller is that of its operation, which is the call.
    machine.site = -1;
    throw fault;
  }
}

/** Runs a built-in function. An error names it as the innermost call. */
export function runBuiltin(
  { name, call }: Builtin,
  args: Value[],
  named: NamedArguments,
): BuiltinResult {
  budget.fuel--;
  machine.builtin = name;
  const result = call(args, named);
  machine.builtin = undefined;
  return result;
}

/** Stores the result of a built-in function, or starts to wait for it. */
export function acceptResult(
  result: BuiltinResult,
  name: string,
  slots: Slot[],
  destination: number,
): number {
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

/** The slots of a new frame, with the captured variables. */
export function newSlots({ code, free }: StarlarkFunction): Slot[] {
  const slots: Slot[] = code.emptyFrame.slice();
  for (let index = 0; index < free.length; index++) slots[code.freeSlot + index] = free[index];
  return slots;
}

/** The slots of a call: arguments are bound to parameters (specification, "Functions"). */
function bindArguments(
  callee: StarlarkFunction,
  args: readonly Value[],
  named: NamedArguments,
): Slot[] {
  const { code, defaults } = callee;
  const { parameters, keywordOnly, hasRest, hasNamedRest } = code;
  const slots = newSlots(callee);
  if (named.length === 0 && code.simpleArity === args.length) {
    for (let index = 0; index < args.length; index++) slots[index] = args[index];
    return slots;
  }
  const count = parameters.length;
  if (count === 0 && !hasRest && !hasNamedRest) {
    const given = args.length + named.length;
    return given === 0
      ? slots
      : fail(`function ${code.name} accepts no arguments (${given} given)`);
  }
  const positional = count - keywordOnly;
  const used = Math.min(args.length, positional);
  if (args.length > positional && !hasRest) {
    const atMost = defaults.length > keywordOnly ? "at most " : "";
    const plural = positional === 1 ? "" : "s";
    fail(
      `function ${code.name} accepts ${atMost}${positional} positional argument${plural} (${args.length} given)`,
    );
  }
  for (let index = 0; index < used; index++) slots[index] = args[index];
  if (hasRest) slots[count] = new StarlarkTuple(sliceItems(args, used, args.length - used, 1));
  bindNamed(code, slots, named);
  for (let index = used; index < count; index++)
    if (slots[index] === undefined) slots[index] = defaults[index - count + defaults.length];
  const missing = parameters.filter((_, index) => slots[index] === undefined);
  if (missing.length === 0) return slots;
  const plural = missing.length > 1 ? "s" : "";
  return fail(
    `function ${code.name} missing ${missing.length} argument${plural} (${missing.join(", ")})`,
  );
}

function bindNamed(code: Code, slots: Slot[], named: NamedArguments): void {
  const rest = code.hasNamedRest ? toDict() : undefined;
  if (rest !== undefined) slots[code.parameters.length + (code.hasRest ? 1 : 0)] = rest;
  for (const [name, value] of named) {
    const index = code.parameters.indexOf(fromUtf8(name));
    if (index === -1) {
      if (rest === undefined)
        fail(`function ${code.name} got an unexpected keyword argument ${quote(name)}`);
      if (rest?.get(name) !== undefined) multipleValues(code.name, name);
      rest?.set(name, value);
    } else {
      if (slots[index] !== undefined) multipleValues(code.name, name);
      slots[index] = value;
    }
  }
}

function multipleValues(callee: string, name: string): never {
  return fail(`function ${callee} got multiple values for parameter ${quote(name)}`);
}
