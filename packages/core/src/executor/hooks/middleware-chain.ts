import { isSuspension, type Suspension } from "../../contract/interruption.ts";
import { ToolError, type ToolErrorCode } from "../../contract/tool-error.ts";
import type { CallState } from "../call/call-state.ts";
import { isToolError } from "../../contract/error-message.ts";
import type { HookInto } from "../call/hook-phases.ts";
import { hookedCall } from "./hooked-call.ts";

/** What a middleware cannot turn into an answer. */
const finalCodes: ReadonlySet<ToolErrorCode> = new Set([
  "cancelled",
  "permission_denied",
  "approval_rejected",
  "limit_exceeded",
]);

/** One attempt within its middleware, of which the lowest priority is outermost. */
export class MiddlewareChain {
  readonly #execution: CallState;
  readonly #ctx: { readonly isLive: boolean };
  readonly #invoke: () => unknown;
  readonly #hooks: readonly HookInto<"around">[];
  /** What the tool, or a misuse of `next`, has decided for good. */
  #final: Suspension | ToolError | undefined;
  #isRunning = false;

  constructor(execution: CallState, ctx: { readonly isLive: boolean }, invoke: () => unknown) {
    this.#execution = execution;
    this.#ctx = ctx;
    this.#invoke = invoke;
    this.#hooks = execution.engine.hooks.around;
  }

  /** Answers with what the outermost middleware does. */
  async go(): Promise<unknown> {
    let returned: unknown;
    try {
      returned = await this.#enter(0);
    } catch (thrown) {
      if (this.#final === undefined) throw thrown;
    } finally {
      // Somebody has answered without waiting for the tool: nobody will.
      if (this.#isRunning) {
        this.#execution.endAttempt(
          new ToolError("cancelled", "Somebody else has answered in the tool's place."),
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
    /** Answering with nothing is what the rest did: it gave nothing, or has thrown. */
    let gaveNothing = false;
    const next = (): Promise<unknown> => {
      const rest = isSpent
        ? this.#refuse("called next() twice, or after it had answered")
        : this.#enter(index + 1);
      isSpent = true;
      // Whoever does not wait for it must not bring the process down.
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
    // A middleware may have taken so long that nobody waits for the tool any more.
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

  /** The first hook from there on that is for this call. */
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
