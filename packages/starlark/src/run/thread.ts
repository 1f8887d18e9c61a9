import { failLimit, StarlarkError, toStarlarkError } from "../values/error.ts";
import { budget } from "../values/budget.ts";
import type { LateResult, Operation } from "../values/function.ts";
import type { NamedArguments, Value } from "../values/value.ts";
import { fromUtf8 } from "../values/utf8.ts";
import { callValue, completed } from "./call.ts";
import {
  addToTraceback,
  Iteration,
  machine,
  nameBuiltin,
  nativeCode,
  signals,
  tick,
  toFault,
} from "./machine.ts";
import type { EffectLog, Frame, PendingResult } from "./machine.ts";

/** The bounds of one run. */
export interface ThreadLimits {
  /** Units of work: about one per operation, more for operations on large values. Default: no limit. */
  readonly maxSteps?: number;
  /** Bytes that the run may allocate; freed memory is not given back. Default: 64 MiB. */
  readonly maxMemoryBytes?: number;
  /** Time in milliseconds, without the time that built-in functions wait. Default: no limit. */
  readonly timeoutMs?: number;
  /** How long the run may keep the event loop, in milliseconds. Default: 3. */
  readonly sliceMs?: number;
}

/** The limits of a run, and its control. */
export interface ThreadOptions extends ThreadLimits {
  readonly signal?: AbortSignal;
  /** Records the effects of host functions, or gives their results from an earlier run. */
  readonly effects?: EffectLog;
  /** A value for the functions of the host that the run calls. */
  readonly context?: unknown;
  /** Called before each operation, with its place and the number of active calls. */
  readonly onOperation?: (operation: { readonly frame: Frame; readonly offset: number }) => void;
  /** Gives control back after every operation. It shows that a run can be suspended anywhere. */
  readonly stepwise?: boolean;
  /** The clock, in milliseconds. Default: `performance.now`. */
  readonly now?: () => number;
}

const defaults = {
  maxSteps: Infinity,
  maxMemoryBytes: 64 * 1024 * 1024,
  sliceMs: 3,
  now: (): number => performance.now(),
};
const firstChunk = 256;
const maxChunk = 65_536;

/** One call that a host made: where it is, and what it waits for. */
interface ActiveCall {
  /** The frame below the first call: it receives the result in its only slot. */
  readonly base: Frame;
  frame: Frame;
  pending: PendingResult | undefined;
  /** The place in the innermost frame that failed; -1 if it is the one of its operation. */
  site: number;
}

function openCall(): ActiveCall {
  const base: Frame = {
    code: nativeCode("<host>", []),
    slots: [null],
    caller: undefined,
    destination: 0,
    depth: 0,
    operation: 0,
    task: undefined,
  };
  return { base, frame: base, pending: undefined, site: -1 };
}

/** The budget of a run. Its calls share it, and let the event loop turn in between. */
export class Thread {
  readonly #options: ThreadOptions & typeof defaults;
  #memory: number;
  #fuel = 0;
  #granted = 0;
  #chunk = firstChunk;
  #steps = 0;
  #grantedAt = 0;
  #sliceStart = 0;
  #usedMs = 0;

  constructor(options: ThreadOptions = {}) {
    const { maxSteps, maxMemoryBytes, sliceMs, now } = options;
    this.#options = {
      ...options,
      maxSteps: maxSteps ?? defaults.maxSteps,
      maxMemoryBytes: maxMemoryBytes ?? defaults.maxMemoryBytes,
      sliceMs: sliceMs ?? defaults.sliceMs,
      now: now ?? defaults.now,
    };
    this.#memory = this.#options.maxMemoryBytes;
  }

  /** The work that was done, in the unit of `maxSteps`. */
  get steps(): number {
    return this.#steps + this.#granted - this.#fuel;
  }

  /** The bytes that were allocated. */
  get memoryBytes(): number {
    return this.#options.maxMemoryBytes - this.#memory;
  }

  /** Calls a value and returns its result. */
  async call(callee: Value, args: Value[], named: NamedArguments = []): Promise<Value> {
    const call = openCall();
    const { base } = call;
    try {
      let signal = this.#enter(call, () => callValue(callee, args, named, base.slots, 0));
      while (signal !== completed && signal !== signals.return) {
        if (signal === signals.yield) await this.#pause();
        const { pending } = call;
        if (signal === signals.wait && pending !== undefined) {
          const value = await this.#wait(pending);
          signal = this.#enter(call, () => this.#resume(call, pending.destination, value));
        } else signal = this.#enter(call, () => this.#run(call));
      }
      return base.slots[0] as Value;
    } catch (error) {
      throw this.#unwind(toStarlarkError(error), call);
    }
  }

  /** Computes something that is charged to the run, such as the value of a result for the host. */
  compute<Result>(compute: () => Result): Result {
    const call = openCall();
    try {
      return this.#enter(call, compute);
    } catch (error) {
      throw this.#unwind(toStarlarkError(error), call);
    }
  }

  /** Lets timers, sockets and other scripts run. That time counts, since the script could run. */
  async #pause(): Promise<void> {
    const start = this.#options.now();
    await new Promise<void>((resolve) => {
      if (typeof setImmediate === "function") setImmediate(resolve);
      else setTimeout(resolve, 0);
    });
    this.#usedMs += this.#options.now() - start;
  }

  /** Loads the registers, runs, and saves them. */
  #enter<Result>(call: ActiveCall, run: () => Result): Result {
    const savedBudget = { ...budget };
    const savedMachine = { ...machine };
    machine.frame = call.frame;
    machine.effects = this.#options.effects;
    machine.signal = this.#options.signal;
    machine.context = this.#options.context;
    machine.site = -1;
    machine.builtin = undefined;
    machine.sliceEnded = () =>
      this.#options.stepwise === true ||
      this.#options.now() - this.#sliceStart >= this.#options.sliceMs;
    budget.memory = this.#memory;
    budget.fuel = this.#fuel;
    budget.checkLimits = () => this.#checkLimits();
    this.#sliceStart = this.#options.now();
    this.#grantedAt = this.#sliceStart;
    try {
      // After a plain operation, a stepwise run is checked where another one is, too.
      if (budget.fuel <= 0 && this.#options.stepwise !== true) this.#checkLimits();
      return run();
    } catch (error) {
      call.site = machine.site;
      throw toFault(error);
    } finally {
      call.frame = machine.frame ?? call.base;
      call.pending = machine.pending;
      this.#fuel = budget.fuel;
      this.#memory = budget.memory;
      this.#usedMs += this.#options.now() - this.#sliceStart;
      Object.assign(budget, savedBudget);
      Object.assign(machine, savedMachine);
    }
  }

  /** Gives a frame the result that it waited for, and continues. */
  #resume(call: ActiveCall, destination: number, result: LateResult): number {
    const { frame } = call;
    frame.slots[destination] = typeof result === "function" ? result() : result;
    if (frame === call.base) return completed;
    frame.operation = frame.task === undefined ? frame.operation + 1 : 0;
    return this.#run(call);
  }

  /** Runs operations until a signal that is not a call or a return. */
  #run(call: ActiveCall): number {
    const stepwise = this.#options.stepwise === true;
    const watch = this.#options.onOperation;
    const watched = stepwise || watch !== undefined;
    let frame = call.frame;
    let { operations } = frame.code;
    let { slots } = frame;
    let current = frame.operation;
    try {
      for (;;) {
        if (watched) {
          frame.operation = current;
          if (frame.task === undefined) watch?.({ frame, offset: frame.code.sites[current] ?? 0 });
        }
        let next = (operations[current] as Operation)(slots);
        if (next >= 0) {
          current = next;
          if (!stepwise) continue;
        } else {
          frame.operation = current;
          if (next === signals.call) {
            frame = machine.frame as Frame;
            current = 0;
          } else if (next === signals.return) {
            const { destination, caller } = frame;
            frame = caller as Frame;
            machine.frame = frame;
            frame.slots[destination] = machine.value;
            if (frame === call.base) return signals.return;
            current = frame.task === undefined ? frame.operation + 1 : 0;
          } else {
            if (next === signals.yield) frame.operation = machine.resume;
            return next;
          }
          machine.site = -1;
          ({ operations } = frame.code);
          ({ slots } = frame);
          if (budget.fuel < 0) next = tick(current);
        }
        if (stepwise || next === signals.yield) {
          frame.operation = current;
          return signals.yield;
        }
      }
    } catch (error) {
      frame.operation = current;
      machine.frame = frame;
      throw error;
    }
  }

  /** Adds the active calls to an error, the innermost first, and ends them. */
  #unwind(error: StarlarkError, { frame: innermost, base, site }: ActiveCall): StarlarkError {
    if (error.isEncoded) error.message = fromUtf8(error.message);
    error.isEncoded = false;
    for (let frame = innermost; frame !== base; frame = frame.caller as Frame) {
      const { code, operation, task, slots } = frame;
      const offset = frame === innermost && site >= 0 ? site : (code.sites[operation] ?? 0);
      if (task === undefined) addToTraceback(error, code, offset);
      else error.callStack.unshift({ name: code.name, position: undefined });
      // Loops and built-in functions that do not return end here.
      for (const slot of slots) if (slot instanceof Iteration) slot.source.endIteration();
      task?.dispose?.();
    }
    return error;
  }

  /** Counts the work since the last check, fails at a limit, and grants fuel for the next part. */
  #checkLimits(): void {
    this.#steps += this.#granted - budget.fuel;
    this.#granted = 0;
    budget.fuel = 0;
    if (this.#steps > this.#options.maxSteps)
      failLimit(`the script took more than ${this.#options.maxSteps} steps`);
    if (this.#options.signal?.aborted === true) throw cancelled(this.#options.signal);
    const now = this.#options.now();
    const { timeoutMs } = this.#options;
    if (timeoutMs !== undefined && this.#usedMs + now - this.#sliceStart > timeoutMs) {
      throw new StarlarkError("timeout", `the script ran for more than ${timeoutMs} ms`);
    }
    // A part should take about a millisecond: enough to make the check cheap, little enough to stop in time.
    const elapsed = now - this.#grantedAt;
    if (elapsed < 0.5) this.#chunk = Math.min(this.#chunk * 2, maxChunk);
    else if (elapsed > 2) this.#chunk = Math.max(Math.floor(this.#chunk / 2), firstChunk);
    this.#grantedAt = now;
    this.#granted =
      this.#options.stepwise === true
        ? 0
        : Math.min(this.#chunk, this.#options.maxSteps - this.#steps);
    budget.fuel = this.#granted;
  }

  /** Waits for a built-in function, until the caller ends the run. */
  async #wait({ name, promise }: PendingResult): Promise<LateResult> {
    const { signal } = this.#options;
    let onAbort = (): void => undefined;
    const aborted = new Promise<never>((_, reject) => {
      onAbort = () => reject(cancelled(signal));
    });
    try {
      if (signal?.aborted === true) onAbort();
      signal?.addEventListener("abort", onAbort, { once: true });
      return await Promise.race([promise, aborted]);
    } catch (error) {
      const fault = toStarlarkError(error);
      nameBuiltin(fault, name);
      throw fault;
    } finally {
      signal?.removeEventListener("abort", onAbort);
    }
  }
}

function cancelled(signal: AbortSignal | undefined): StarlarkError {
  return new StarlarkError("cancelled", "the script was cancelled", { cause: signal?.reason });
}
