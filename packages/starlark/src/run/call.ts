import { fail } from "../values/error.ts";
import { budget } from "../values/budget.ts";
import { Builtin, StarlarkFunction } from "../values/function.ts";
import type { BuiltinResult, CallbackTask, Code, Operation, Slot } from "../values/function.ts";
import { StarlarkObject, typeName } from "../values/value.ts";
import type { NamedArguments, Value } from "../values/value.ts";
import { bindArguments, newSlots } from "./bind.ts";
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
    const bound =
      named.length === 0 && callee.code.simpleArity === args.length
        ? fillSlots(newSlots(callee), args)
        : bindArguments(callee, args, named);
    return enterFunction(callee.code, bound, slots, destination);
  }
  if (callee instanceof Builtin) {
    return acceptResult(runBuiltin(callee, args, named), callee.name, slots, destination);
  }
  return fail(`invalid call of non-function (${typeName(callee)})`);
}

function fillSlots(slots: Slot[], args: readonly Value[]): Slot[] {
  for (let index = 0; index < args.length; index++) slots[index] = args[index];
  return slots;
}

/** Runs a function whose arguments are in the slots: at once if it cannot be suspended, else in a new frame. */
export function enterFunction(
  code: Code,
  bound: Slot[],
  slots: Slot[],
  destination: number,
): number {
  if (code.leaf === undefined) return pushFrame(code, bound, destination);
  slots[destination] = runLeaf(code, bound);
  return completed;
}

function runLeaf(code: Code, bound: Slot[]): Value {
  budget.fuel--;
  machine.site = code.start;
  try {
    return (code.leaf as (slots: Slot[]) => Value)(bound);
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
