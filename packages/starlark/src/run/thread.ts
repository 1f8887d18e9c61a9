import { failLimit, StarlarkError, toStarlarkError } from "../values/error.ts";
import { budget } from "../values/budget.ts";
import type { Operation } from "../values/function.ts";
import type { NamedArguments, Value } from "../values/value.ts";
import { fromUtf8 } from "../values/utf8.ts";
import { callValue, completed } from "./call.ts";
import { continueFrame, Iteration, machine, nativeCode, signals, tick } from "./machine.ts";
import { checkValue } from "../values/check-value.ts";
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

const firstChunk = 256;
const maxChunk = 16_384;

/** One call that a host made: where it is, and what it waits for. */
interface ActiveCall {
  /** The frame below the first call: it receives the result in its only slot. */
  readonly base: Frame;
  frame: Frame;
  pending: PendingResult | undefined;
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
  return { base, frame: base, pending: undefined };
}

/** The budget of a run. Its calls share it, and let the event loop turn in between. */
export class Thread {
  readonly #options: ThreadOptions &
    Required<Pick<ThreadOptions, "maxSteps" | "maxMemoryBytes" | "sliceMs" | "now">>;
  #memory: number;
  #fuel = 0;
  #granted = 0;
  #chunk = firstChunk;
  #steps = 0;
  #grantedAt = 0;
  #sliceStart = 0;
  #usedMs = 0;

  /** @throws TypeError for a limit that is no number. */
  constructor(options: ThreadOptions = {}) {
    const isObject = typeof options === "object" && options !== null;
    checkValue(isObject, "new Thread: options", options, "an object");
    for (const name of ["maxSteps", "maxMemoryBytes", "timeoutMs", "sliceMs"] as const) {
      const limit: unknown = options[name] ?? 0;
      checkValue(typeof limit === "number" && limit >= 0, `run: ${name}`, limit, "0 or more");
    }
    const { maxSteps = Infinity, maxMemoryBytes = 64 * 1024 * 1024, sliceMs = 3 } = options;
    const { now = () => performance.now() } = options;
    this.#options = { ...options, maxSteps, maxMemoryBytes, sliceMs, now };
    this.#memory = maxMemoryBytes;
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
    let resume = (): number => callValue(callee, args, named, base.slots, 0);
    for (;;) {
      const signal = this.#enter(call, () => {
        const first = resume();
        return first === signals.wait ? first : this.#run(base);
      });
      if (signal === completed) return base.slots[0] as Value;
      resume = await (signal === signals.wait ? this.#wait(call) : this.#pause());
    }
  }

  /** Computes something that is charged to the run, such as the value of a result for the host. */
  compute<Result>(compute: () => Result): Result {
    return this.#enter(openCall(), compute);
  }

  /** Lets timers, sockets and other scripts run. That time counts, since the script could run. Returns what continues the run. */
  async #pause(): Promise<() => number> {
    const start = this.#options.now();
    await new Promise<void>((resolve) => {
      if (typeof setImmediate === "function") setImmediate(resolve);
      else setTimeout(resolve, 0);
    });
    this.#usedMs += this.#options.now() - start;
    return () => completed;
  }

  /** Loads the registers, runs, and saves them. */
  #enter<Result>(call: ActiveCall, run: () => Result): Result {
    const savedBudget = { ...budget };
    const savedMachine = { ...machine };
    const { effects, signal, context, stepwise, sliceMs, now } = this.#options;
    const sliceEnded = (): boolean => stepwise === true || now() - this.#sliceStart >= sliceMs;
    const { frame } = call;
    const registers = { frame, site: -1, builtin: undefined, sliceEnded, effects, signal, context };
    Object.assign(machine, registers satisfies Partial<typeof machine>);
    const checkLimits = (): void => this.#checkLimits();
    Object.assign(budget, { memory: this.#memory, fuel: this.#fuel, checkLimits });
    this.#sliceStart = now();
    this.#grantedAt = this.#sliceStart;
    try {
      // After a plain operation, a stepwise run is checked where another one is, too.
      if (budget.fuel <= 0 && stepwise !== true) this.#checkLimits();
      return run();
    } catch (error) {
      throw unwind(toStarlarkError(error), call.base);
    } finally {
      call.frame = machine.frame ?? call.base;
      call.pending = machine.pending;
      this.#fuel = budget.fuel;
      this.#memory = budget.memory;
      this.#usedMs += now() - this.#sliceStart;
      Object.assign(budget, savedBudget);
      Object.assign(machine, savedMachine);
    }
  }

  /** Runs operations until the first call is complete, or one has to wait. */
  #run(base: Frame): number {
    const { stepwise = false, onOperation } = this.#options;
    for (let frame = machine.frame; frame !== undefined && frame !== base; frame = machine.frame) {
      const { slots, task, code } = frame;
      const { operations, sites } = code;
      const watch = task === undefined ? onOperation : undefined;
      let next = frame.operation;
      while (next >= 0) {
        frame.operation = next;
        if (watch !== undefined) watch({ frame, offset: sites[next] ?? 0 });
        next = (operations[next] as Operation)(slots);
        if (!stepwise || next < 0) continue;
        frame.operation = next;
        return signals.yield;
      }
      if (next === signals.yield || next === signals.wait) return next;
      if (next === signals.return) {
        machine.frame = frame.caller as Frame;
        continueFrame(machine.frame, frame.destination, machine.value);
        if (machine.frame === base) break;
      }
      machine.site = -1;
      const { operation } = machine.frame as Frame;
      if (budget.fuel < 0 && tick(operation) === signals.yield) return signals.yield;
      if (stepwise) return signals.yield;
    }
    return completed;
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

  /** Waits for a built-in function, until the caller ends the run. Returns what gives the frame the result. */
  async #wait(call: ActiveCall): Promise<() => number> {
    const { name, promise, destination } = call.pending as PendingResult;
    const { signal } = this.#options;
    let onAbort = (): void => undefined;
    const aborted = new Promise<never>((_, reject) => {
      onAbort = () => reject(cancelled(signal));
    });
    try {
      if (signal?.aborted === true) onAbort();
      signal?.addEventListener("abort", onAbort, { once: true });
      const result = await Promise.race([promise, aborted]);
      return () => {
        continueFrame(call.frame, destination, typeof result === "function" ? result() : result);
        return completed;
      };
    } catch (error) {
      return () => {
        machine.builtin = name;
        throw error;
      };
    } finally {
      signal?.removeEventListener("abort", onAbort);
    }
  }
}

/** Adds the active calls to an error, the innermost first, and ends them. */
function unwind(error: StarlarkError, base: Frame): StarlarkError {
  const { builtin, site, frame: innermost } = machine;
  const { callStack } = error;
  if (builtin !== undefined && callStack.length === 0)
    callStack.push({ name: builtin, position: undefined });
  for (let frame = innermost; frame !== undefined && frame !== base; frame = frame.caller) {
    const { code, operation, task, slots } = frame;
    const offset = frame === innermost && site >= 0 ? site : (code.sites[operation] ?? 0);
    const position = task === undefined ? code.module.position(offset) : undefined;
    callStack.unshift({ name: fromUtf8(code.name), position });
    // Loops and built-in functions that do not return end here.
    for (const slot of slots) if (slot instanceof Iteration) slot.source.endIteration?.();
    task?.dispose?.();
  }
  return error;
}

function cancelled(signal: AbortSignal | undefined): StarlarkError {
  return new StarlarkError("cancelled", "the script was cancelled", { cause: signal?.reason });
}
