import type { ToolPayloadTransform } from "@mastra/core/tools";
import type { Interruption } from "@toolweave/core";
import { BoundedMap } from "@toolweave/core/integration";
import { readQuestion } from "./question.ts";

/**
 * Detects when Mastra reports a question, which in a stream is later than the call's request: Mastra then reads how to
 * display it. At any other time the display is not transformed, since Mastra copies all that it may display.
 */
export class ReportedQuestions {
  readonly #listeners = new BoundedMap<string, () => Promise<void>>();
  readonly #display: NonNullable<ToolPayloadTransform["display"]> = {
    // Unchanged: Mastra uses a placeholder if a function is missing.
    input: ({ input }) => input,
    inputDelta: ({ inputTextDelta }) => inputTextDelta,
    output: ({ output }) => output,
    error: ({ error }) => error,
    approval: ({ input }) => input,
    resume: ({ resumeData }) => resumeData,
    suspend: async ({ suspendPayload, toolCallId }) => {
      const question = readQuestion(suspendPayload, toolCallId);
      if (question === undefined) return suspendPayload;
      const { state: _, ...interruption } = question.interruption;
      await this.#listeners.take(interruption.id)?.();
      return { ...question, interruption };
    },
  };

  /** The transform that Mastra reads whenever it makes a call. */
  get display(): ToolPayloadTransform["display"] | undefined {
    return this.#listeners.size === 0 ? undefined : this.#display;
  }

  /** Calls `listener` once, when Mastra reports the question. */
  whenReported({ id }: Interruption, listener: () => Promise<void>): void {
    this.#listeners.set(id, listener);
  }
}
