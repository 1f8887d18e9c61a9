import { ToolError, type ToolCall, type ToolOutcome, type ToolResult } from "@toolweave/core";
import type { ProviderProblem, Simplified } from "./exported-tools.ts";

/** The answer for a provider: an outcome, or the result in it. */
export type Answered = ToolOutcome | ToolResult;

/** A snapshot of tools in the formats of one provider. */
export interface ProviderTools<WireTool, Response, Message> {
  /** The provider's list of tools. Frozen: to add others, use `[...tools, other]`. */
  readonly tools: WireTool[];
  /** The tools that are omitted from it, and why. */
  readonly problems: readonly ProviderProblem[];
  /** The places where the provider is given a weaker schema than the tool's. */
  readonly simplified: readonly Simplified[];
  /**
   * The calls in a provider's response, in order. Never throws because of a model's output: an unknown name, and
   * arguments that are no JSON, are passed to the executor, which reports the problem. A call without an id gets one.
   * Calls of tools that the provider runs itself are omitted.
   */
  readonly calls: (response: Response) => ToolCall[];
  /**
   * Creates the messages with the results of calls, in the given order.
   *
   * @throws ToolError `invalid_configuration` for an interrupted outcome: it is no result.
   */
  readonly results: (outcomes: readonly Answered[]) => Message[];
}

/**
 * The results of the answered calls.
 *
 * @throws ToolError `invalid_configuration` for a call that waits for a person: it has no result yet, and a provider's result cannot
 * be replaced later.
 */
export function toResults(answered: readonly Answered[]): readonly ToolResult[] {
  return answered.map((one) => {
    if (!("status" in one)) return one;
    if (one.status !== "interrupted") return one.result;
    const { name, id } = one.interruption.call;
    throw new ToolError(
      "invalid_configuration",
      `The call ${id} of ${name} waits for a person and has no result yet. Resume it with executor.resume(interruption, answers), and pass the outcome of that.`,
    );
  });
}

/** Freezes a list, because all callers share it. Not `readonly`, since SDKs accept no readonly arrays. */
export function freezeList<Item>(list: Item[]): Item[] {
  Object.freeze(list);
  return list;
}

/** The fields of what should be an object; none of anything else. A model's provider may send anything. */
export function asFields(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null
    ? (value as Readonly<Record<string, unknown>>)
    : {};
}

/** The items of what should be a list; none of anything else. */
export function asItems(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as readonly unknown[]) : [];
}
