import type { ToolExecutor } from "@toolweave/core";
import type { CheckContext } from "../context/check.ts";
import { formatError } from "../contract/finding.ts";
import type { SampleCall } from "../contract/manifest.ts";
import type { CallResult } from "../execution/call-result.ts";
import { formatCall, runSample } from "../execution/run-sample.ts";

/** Milliseconds until a call is in progress and has sent its request. */
const startMs = 20;

/** Waits until a started call is in progress, so that it can be interrupted. */
export function waitUntilRunning(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, startMs));
}

/** A sample call that runs in the background. */
export class RunningCall {
  readonly call: SampleCall;
  readonly label: string;
  /** The result; `undefined` while the call runs. */
  callResult: CallResult | undefined;
  /** Resolves when the call has ended or timed out. */
  readonly ended: Promise<CallResult>;
  readonly #controller = new AbortController();

  /** @param id the id of the call. Default: the same for all calls. */
  constructor(context: CheckContext, executor: ToolExecutor, call: SampleCall, id?: string) {
    const { signal } = this.#controller;
    this.call = call;
    this.label = formatCall(call);
    this.ended = runSample(context, executor, call, { signal }, id)
      .catch(formatError)
      .then((callResult) => (this.callResult = callResult));
  }

  /** Cancels the call if it has not ended, and waits until it has. */
  async cancel(): Promise<void> {
    this.#controller.abort();
    await this.ended;
  }
}
