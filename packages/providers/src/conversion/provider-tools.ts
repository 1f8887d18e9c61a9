import type { ToolCall } from "@toolweave/core";
import type { ProviderProblem, Simplified } from "./exported-tools.ts";
import type { Answered } from "./tool-answers.ts";

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
   * @throws ToolError `internal` for an interrupted outcome: it is no result.
   */
  readonly results: (outcomes: readonly Answered[]) => Message[];
}
