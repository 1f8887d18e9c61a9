import { fail, type SourcePosition } from "../values/error.ts";
import { budget } from "../values/budget.ts";
import type { CallbackTask, FrameCode, LateResult, Operation, Slot } from "../values/function.ts";
import { StarlarkRange } from "../values/sequence.ts";
import type { StarlarkObject, Value } from "../values/value.ts";

/** The values that an operation returns instead of the index of the next one. */
export const signals = {
  /** A frame was added, which runs next. */
  call: -1,
  /** The time slice is over. The frame continues at its operation. */
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
  /** How many calls are active; one with many variables counts as several. */
  readonly depth: number;
  /** The operation that runs or is next, or that made the call that runs. */
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
  readonly #items: readonly Value[];
  index = 0;

  constructor(source: StarlarkObject) {
    this.source = source;
    this.#items = source instanceof StarlarkRange ? [] : (source.items?.() ?? []);
    source.beginIteration?.();
  }

  /** The next item; `undefined` after the last one. The items of a range are not stored. */
  next(): Value | undefined {
    const index = this.index++;
    const { source } = this;
    if (!(source instanceof StarlarkRange)) return this.#items[index];
    return index < source.length ? source.itemAt(index) : undefined;
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
  /** `args` and the result are values of the host. */
  effect(name: string, args: unknown, perform: () => unknown): unknown;
}

/**
 * The registers of the script that runs. There is one at a time, and it is not interrupted between two signals, so the
 * operations need no handle of their thread.
 */
export const machine = {
  frame: undefined as Frame | undefined,
  value: null as Value,
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
  const size = 1 + (slots.length >> 7);
  const depth = caller === undefined ? 0 : caller.depth + size;
  if (depth > maxDepth) fail("Starlark stack overflow");
  budget.fuel -= size;
  machine.frame = { code, slots, caller, destination, depth, operation: 0, task };
  return signals.call;
}

/** Continues at `next`, or ends the time slice there. Called when the fuel is used up. */
export function tick(next: number): number {
  machine.site = -1;
  budget.checkLimits();
  if (!machine.sliceEnded()) return next;
  (machine.frame as Frame).operation = next;
  return signals.yield;
}

/** Stores the result of the call that the frame made. */
export function continueFrame(frame: Frame, destination: number, result: Value): void {
  frame.slots[destination] = result;
  frame.operation = frame.task === undefined ? frame.operation + 1 : 0;
}
