import { isSuspension, type Suspension } from "../../contract/interruption.ts";
import { ToolError, type ToolErrorCode } from "../../contract/tool-error.ts";
import { isToolError } from "../../contract/error-message.ts";
import type { CallState } from "../call/call-state.ts";
import type { HookInto } from "../call/hook-phases.ts";
import { hookedCall } from "./hooked-call.ts";

/** Error codes that a middleware cannot turn into an answer. */
const finalCodes: ReadonlySet<ToolErrorCode> = new Set([
  "cancelled",
  "permission_denied",
  "approval_rejected",
  "limit_exceeded",
]);

/** One attempt within its middleware; the lowest priority is outermost. */
export class MiddlewareChain {
  readonly #execution: CallState;
  readonly #ctx: { readonly isLive: boolean };
  readonly #invoke: () => unknown;
  readonly #hooks: readonly HookInto<"around">[];
  /** The final result that the tool, or a misuse of `next`, has set; a middleware cannot change it. */
  #final: Suspension | ToolError | undefined;
  #isRunning = false;

  constructor(execution: CallState, ctx: { readonly isLive: boolean }, invoke: () => unknown) {
    this.#execution = execution;
    this.#ctx = ctx;
    this.#invoke = invoke;
    this.#hooks = execution.engine.hooks.around;
  }

  /** Resolves with the answer of the outermost middleware. */
  async go(): Promise<unknown> {
    let returned: unknown;
    try {
      returned = await this.#enter(0);
    } catch (thrown) {
      if (this.#final === undefined) throw thrown;
    } finally {
      // A middleware has answered without waiting for the tool, so the tool is stopped.
      if (this.#isRunning) {
        this.#execution.endAttempt(
          new ToolError("cancelled", "A middleware has answered in place of the tool."),
        );
      }
    }
    if (this.#final === undefined || isSuspension(this.#final)) return this.#final ?? returned;
    throw this.#final;
  }

  async #enter(from: number): Promise<unknown> {
    const index = this.#nextFor(from);
    const hook = this.#hooks[index];
    if (hook === undefined) return this.#work();
    let isSpent = false;
    /** The rest of the chain returned nothing or threw. The middleware may then return nothing, too. */
    let gaveNothing = false;
    const next = (): Promise<unknown> => {
      const rest = isSpent
        ? this.#refuse("called next() twice, or after it had answered")
        : this.#enter(index + 1);
      isSpent = true;
      // If the middleware does not await `next`, its rejection must not end the process.
      rest.then(
        (given) => void (gaveNothing = given === undefined),
        () => void (gaveNothing = true),
      );
      return rest;
    };
    try {
      const answer = await hook.around(hookedCall(this.#execution), next);
      if (answer === undefined && !gaveNothing && this.#final === undefined) {
        return await this.#refuse("answered with nothing: write `return await next()`");
      }
      return answer;
    } finally {
      isSpent = true;
    }
  }

  async #work(): Promise<unknown> {
    const { name } = this.#execution.call;
    // The middleware may call `next` after the attempt has ended.
    if (!this.#ctx.isLive) throw new ToolError("cancelled", `${name} was not run: it is too late.`);
    this.#isRunning = true;
    try {
      const returned = await this.#invoke();
      if (isSuspension(returned)) this.#final = returned;
      return returned;
    } catch (thrown) {
      if (isToolError(thrown) && finalCodes.has(thrown.code)) this.#final = thrown;
      throw thrown;
    } finally {
      this.#isRunning = false;
    }
  }

  async #refuse(misuse: string): Promise<never> {
    this.#final = new ToolError(
      "internal",
      `A middleware around ${this.#execution.call.name} ${misuse}. The tool may have run: do not repeat the call before checking what it did.`,
    );
    throw this.#final;
  }

  /** The index of the first hook, from `from` on, that applies to this call. */
  #nextFor(from: number): number {
    const call = hookedCall(this.#execution);
    try {
      let index = from;
      while (this.#hooks[index]?.when?.(call) === false) index += 1;
      return index;
    } catch (cause) {
      this.#final = new ToolError(
        "internal",
        `${call.spec.name} was not run because a check of the host failed.`,
        { cause },
      );
      throw this.#final;
    }
  }
}
