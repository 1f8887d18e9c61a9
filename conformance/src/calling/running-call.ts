import type { ToolExecutor } from "@toolweave/core";
import type { CheckContext } from "../context/check.ts";
import { messageOf } from "../contract/finding.ts";
import type { SampleCall } from "../contract/manifest.ts";
import type { CallResult } from "../execution/outcome.ts";
import { callLabel, runSample } from "../execution/sample-run.ts";

/** Milliseconds in which a call gets under way: its request is on the wire. */
const underWayMs = 20;

/** Waits until what has been started is under way, so that there is something to break off. */
export function underWay(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, underWayMs));
}

/** A sample call that goes on while something else is done. */
export class RunningCall {
  readonly call: SampleCall;
  readonly label: string;
  /** What came of it; `undefined` as long as it runs. */
  came: CallResult | undefined;
  /** Resolves when it has ended, or was waited for too long. */
  readonly ended: Promise<CallResult>;
  readonly #controller = new AbortController();

  /** @param id of the call. Default: the same for all. */
  constructor(context: CheckContext, executor: ToolExecutor, call: SampleCall, id?: string) {
    const { signal } = this.#controller;
    this.call = call;
    this.label = callLabel(call);
    this.ended = runSample(context, executor, call, { signal }, id)
      .catch(messageOf)
      .then((came) => (this.came = came));
  }

  /** Cancels it, if it has not ended, and waits until it has. */
  async cancel(): Promise<void> {
    this.#controller.abort();
    await this.ended;
  }
}
