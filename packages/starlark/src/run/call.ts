import { StarlarkError } from "../values/error.ts";
import { budget } from "../values/budget.ts";
import { Builtin, rejectCall, StarlarkFunction } from "../values/function.ts";
import type { BuiltinResult, CallbackTask, Code, Operation, Slot } from "../values/function.ts";
import { StarlarkObject, typeName } from "../values/value.ts";
import type { NamedArguments, Value } from "../values/value.ts";
import { bindArguments, newSlots } from "./bind.ts";
import { addToTraceback, machine, pushFrame, signals, tick } from "./machine.ts";

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
    return acceptResult(
      runBuiltin(callee.name, callee.call, args, named),
      callee.name,
      slots,
      destination,
    );
  }
  return rejectCall(typeName(callee));
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
  try {
    return (code.leaf as (slots: Slot[]) => Value)(bound);
  } catch (error) {
    const fault = toStarlarkError(error);
    addToTraceback(fault, code, code.start);
    throw fault;
  }
}

/** Runs a built-in function. An error names it as the innermost call. */
export function runBuiltin<Result>(
  name: string,
  call: (args: Value[], named: NamedArguments) => Result,
  args: Value[],
  named: NamedArguments,
): Result {
  budget.fuel--;
  try {
    return call(args, named);
  } catch (error) {
    const fault = toStarlarkError(error);
    if (fault.callStack.length === 0) fault.callStack.push({ name, position: undefined });
    throw fault;
  }
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
  return pushFrame(taskCode(name), [null, false], destination, result);
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

function taskCode(name: string): Code {
  return {
    name,
    parameters: [],
    keywordOnly: 0,
    hasRest: false,
    hasNamedRest: false,
    simpleArity: -1,
    freeSlot: 0,
    emptyFrame: [],
    operations: taskOperations,
    sites: [],
    leaf: undefined,
    start: 0,
    module: taskModule,
  };
}

const taskModule = {
  file: "<builtin>",
  allowsRecursion: true,
  position: () => ({ file: "<builtin>", line: 0, column: 0 }),
};

/** Any thrown value as a `StarlarkError`: V8's own limits are limits of the script. */
export function toStarlarkError(error: unknown): StarlarkError {
  if (error instanceof StarlarkError) return error;
  if (error instanceof RangeError) {
    return new StarlarkError("limit_exceeded", "a value is too large or nested too deeply", {
      cause: error,
    });
  }
  const message = error instanceof Error ? error.message : String(error);
  return new StarlarkError("execution_failed", message, { cause: error });
}
