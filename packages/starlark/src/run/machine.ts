import { fail, type SourcePosition, type StarlarkError, toStarlarkError } from "../values/error.ts";
import { budget } from "../values/budget.ts";
import { fromUtf8 } from "../values/utf8.ts";
import type { CallbackTask, FrameCode, LateResult, Operation, Slot } from "../values/function.ts";
import type { StarlarkObject, Value } from "../values/value.ts";

/** The values that an operation returns instead of the index of the next one. */
export const signals = {
  /** A frame was added, which runs next. */
  call: -1,
  /** The time slice is over. The frame continues at `machine.resume`. */
  yield: -2,
  /** A built-in function returned a promise, which is in `machine.pending`. */
  wait: -3,
  /** The function returns `machine.value`. */
  return: -4,
} as const;

/** One active call. */
export interface Frame {
  readonly code: FrameCode;
  readonly slots: Slot[];
  readonly caller: Frame | undefined;
  /** The slot of the caller that receives the result. */
  readonly destination: number;
  readonly depth: number;
  /** The operation that runs, or that made the call that runs. */
  operation: number;
  /** The built-in function that this frame runs, if it is one. */
  readonly task: CallbackTask | undefined;
}

/** The code of a frame that runs no function of a script. */
export function nativeCode(name: string, operations: readonly Operation[]): FrameCode {
  const file = "<builtin>";
  const position = (): SourcePosition => ({ file, line: 0, column: 0 });
  return { name, operations, sites: [], module: { file, allowsRecursion: true, position } };
}

/** The loop over the items of a value, in a slot of a frame. */
export class Iteration {
  readonly source: StarlarkObject;
  /** The items; `undefined` for a range, whose items are not stored. */
  readonly items: readonly Value[] | undefined;
  index = 0;

  constructor(source: StarlarkObject, items: readonly Value[] | undefined) {
    this.source = source;
    this.items = items;
    source.beginIteration();
  }
}

/** A built-in function whose result is not there yet, and the slot that receives it. */
export interface PendingResult {
  readonly name: string;
  readonly promise: Promise<LateResult>;
  readonly destination: number;
}

/** Records the effects of a run, or gives the results of an earlier one. */
export interface EffectLog {
  effect(
    name: string,
    args: readonly Value[],
    perform: () => Value | Promise<LateResult>,
  ): Value | Promise<LateResult>;
}

/**
 * The registers of the script that runs. There is one at a time, and it is not interrupted between two signals, so the
 * operations need no handle of their thread.
 */
export const machine = {
  frame: undefined as Frame | undefined,
  value: null as Value,
  resume: 0,
  pending: undefined as PendingResult | undefined,
  /** The offset of the part of the operation that runs last; -1 if it is the one that the operation reports. */
  site: -1,
  /** The name of the built-in function that runs. */
  builtin: undefined as string | undefined,
  /** Whether the time slice is over. Called when the fuel is used up. */
  sliceEnded: (): boolean => false,
  /** The parts of the run that functions of the host use. */
  effects: undefined as EffectLog | undefined,
  signal: undefined as AbortSignal | undefined,
  context: undefined as unknown,
};

const maxDepth = 1000;

/** Adds a frame for a call. */
export function pushFrame(
  code: FrameCode,
  slots: Slot[],
  destination: number,
  task?: CallbackTask,
): number {
  const caller = machine.frame;
  if (!code.module.allowsRecursion && task === undefined) {
    for (let frame = caller; frame !== undefined; frame = frame.caller) {
      if (frame.code === code) fail(`function ${code.name} called recursively`);
    }
  }
  const depth = caller === undefined ? 0 : caller.depth + 1;
  if (depth > maxDepth) fail("Starlark stack overflow");
  budget.fuel--;
  machine.frame = { code, slots, caller, destination, depth, operation: 0, task };
  return signals.call;
}

/** Continues at `next`, or ends the time slice there. Called when the fuel is used up. */
export function tick(next: number): number {
  machine.site = -1;
  budget.checkLimits();
  if (!machine.sliceEnded()) return next;
  machine.resume = next;
  return signals.yield;
}

/** An error of the function that runs, with the built-in function that failed in it. */
export function toFault(error: unknown): StarlarkError {
  const fault = toStarlarkError(error);
  const { builtin } = machine;
  machine.builtin = undefined;
  if (builtin !== undefined) nameBuiltin(fault, builtin);
  return fault;
}

/** Adds a built-in function as the innermost call of an error. */
export function nameBuiltin({ callStack }: StarlarkError, name: string): void {
  if (callStack.length === 0) callStack.push({ name, position: undefined });
}

/** Adds a call of a function of the script to an error. */
export function addToTraceback(error: StarlarkError, code: FrameCode, site: number): void {
  error.callStack.unshift({ name: fromUtf8(code.name), position: code.module.position(site) });
}
