import type { ToolCall } from "@toolweave/core";
import type { ProviderProblem, Simplified } from "./exported-tools.ts";
import type { Answered } from "./tool-answers.ts";

/** A snapshot of tools in the formats of one provider. */
export interface ProviderTools<WireTool, Response, Message> {
  /** The provider's list of tools. Frozen: to add others, use `[...tools, other]`. */
  readonly tools: WireTool[];
  /** The tools that are left out of it, and why. */
  readonly problems: readonly ProviderProblem[];
  /** Where the provider is shown less than a tool's schema demands. */
  readonly simplified: readonly Simplified[];
  /**
   * The calls in a provider's response, in order. Never throws for what a model wrote: a name that no
   * tool has, and arguments that are no JSON, come to the executor, which answers what is wrong. A call
   * without an id gets one. Calls of tools that the provider runs itself are not among them.
   */
  readonly calls: (response: Response) => ToolCall[];
  /**
   * Creates the messages with the results of calls, in the given order.
   *
   * @throws ToolError `internal` for an interrupted outcome: it is no result.
   */
  readonly results: (outcomes: readonly Answered[]) => Message[];
}
