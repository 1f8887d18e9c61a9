import type { ToolRun } from "../executor/tool-executor.ts";

/** Number of calls after which another run begins, so that their ids need not be remembered forever. */
const maxCalls = 10_000;

/**
 * The runs of calls for which the host has given an executor, and no run. The calls may be of any number of
 * conversations, whose models may give the same ids. An id is unique within a run: a call whose id an earlier one had
 * begins another run.
 */
export class DefaultRuns {
  readonly #start: () => ToolRun;
  readonly #ids = new Set<string>();
  #latest: ToolRun;

  /** @param start starts a run with the tools that the framework was given. */
  constructor(start: () => ToolRun) {
    this.#start = start;
    this.#latest = start();
  }

  /** The run that was started last. */
  get latest(): ToolRun {
    return this.#latest;
  }

  /** The run for a new call with this id. Absent: the call gets a unique one. */
  runFor(callId: string | undefined): ToolRun {
    if (callId === undefined) return this.#latest;
    if (this.#ids.has(callId) || this.#ids.size === maxCalls) {
      this.#ids.clear();
      this.#latest = this.#start();
      // The framework has been given every built-in tool that a later call may need.
      this.#latest.freezeToolset();
    }
    this.#ids.add(callId);
    return this.#latest;
  }
}
