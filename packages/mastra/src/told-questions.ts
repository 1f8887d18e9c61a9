import type { ToolPayloadTransform } from "@mastra/core/tools";
import type { Interruption } from "@toolweave/core";
import { questionOf } from "./question.ts";

/** The maximum number of questions to be reported; the oldest are dropped first. */
const most = 1000;

/**
 * Detects when Mastra reports a question, which in a stream is later than the call's request: Mastra then reads how to
 * display it. At any other time the display is not transformed, since Mastra copies all that it may display.
 */
export class ReportedQuestions {
  readonly #listeners = new Map<string, () => Promise<void>>();
  readonly #display: NonNullable<ToolPayloadTransform["display"]> = {
    // Unchanged: Mastra uses a placeholder if a function is missing.
    input: ({ input }) => input,
    inputDelta: ({ inputTextDelta }) => inputTextDelta,
    output: ({ output }) => output,
    error: ({ error }) => error,
    approval: ({ input }) => input,
    resume: ({ resumeData }) => resumeData,
    suspend: async ({ suspendPayload, toolCallId }) => {
      const question = questionOf(suspendPayload, toolCallId);
      if (question === undefined) return suspendPayload;
      const { state: _, ...interruption } = question.interruption;
      await this.#report(interruption.id);
      return { ...question, interruption };
    },
  };

  /** The transform that Mastra reads whenever it makes a call. */
  get display(): ToolPayloadTransform["display"] | undefined {
    return this.#listeners.size === 0 ? undefined : this.#display;
  }

  /** Calls `listener` once, when Mastra reports the question. */
  whenTold({ id }: Interruption, listener: () => Promise<void>): void {
    this.#listeners.set(id, listener);
    const [oldest] = this.#listeners.keys();
    if (this.#listeners.size > most && oldest !== undefined) this.#listeners.delete(oldest);
  }

  async #report(id: string): Promise<void> {
    const listener = this.#listeners.get(id);
    this.#listeners.delete(id);
    await listener?.();
  }
}
