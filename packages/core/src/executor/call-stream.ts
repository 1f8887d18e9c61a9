import { ToolError } from "../contract/tool-error.ts";
import { Batch, type BatchRun } from "./batch/batch.ts";
import type { ManyCalls } from "./batch/check-call-options.ts";
import type { FinishedCall } from "../contract/call-options.ts";

type Next = IteratorResult<FinishedCall, undefined>;

/**
 * The outcomes of several calls as they become known. No call starts before the first outcome is requested.
 *
 * Not an async generator: its `return` would wait for the outcome that was requested before.
 */
export class CallStream implements AsyncIterable<FinishedCall> {
  readonly #many: ManyCalls;
  readonly #run: BatchRun;
  #iterated = false;

  constructor(many: ManyCalls, run: BatchRun) {
    this.#many = many;
    this.#run = run;
  }

  /** @throws ToolError `invalid_configuration` the second time: calls are made once. */
  [Symbol.asyncIterator](): AsyncIterator<FinishedCall, undefined> {
    if (this.#iterated) {
      throw new ToolError(
        "invalid_configuration",
        "These calls have been made already: call run.stream(…) again to make them again.",
      );
    }
    this.#iterated = true;
    return new Outcomes(this.#many, this.#run);
  }
}

class Outcomes implements AsyncIterator<FinishedCall, undefined> {
  readonly #batch: Batch;
  readonly #ready: FinishedCall[] = [];
  readonly #asked: ((next: Next | Promise<never>) => void)[] = [];
  #started = false;
  /** Answers `next` when no outcome is left. */
  #end: (() => Next | Promise<never>) | undefined;

  constructor(many: ManyCalls, run: BatchRun) {
    this.#batch = new Batch(many, run, (finished) => {
      if (this.#end === undefined) this.#ready.push(finished);
      this.#answer();
    });
  }

  next(): Promise<Next> {
    const next = new Promise<Next>((answer) => this.#asked.push(answer));
    if (!this.#started) this.#start();
    this.#answer();
    return next;
  }

  /** Cancels the calls that have not ended, without waiting for them. */
  return(): Promise<Next> {
    this.#started = true;
    this.#ready.length = 0;
    this.#end = over;
    this.#answer();
    this.#batch.stop(
      new ToolError("cancelled", "The caller does not wait for this call any more."),
    );
    return Promise.resolve(over());
  }

  #start(): void {
    this.#started = true;
    this.#batch.go().then(
      () => this.#finish(over),
      (error: unknown) => this.#finish(() => Promise.reject(error)),
    );
  }

  #finish(end: () => Next | Promise<never>): void {
    this.#end ??= end;
    this.#answer();
  }

  #answer(): void {
    while (this.#asked.length > 0) {
      const finished = this.#ready.shift();
      const next =
        finished === undefined ? this.#end?.() : { done: false as const, value: finished };
      if (next === undefined) return;
      this.#asked.shift()?.(next);
    }
  }
}

const over = (): Next => ({ done: true, value: undefined });
