import { BaseCallbackHandler } from "@langchain/core/callbacks/base";
import type { Callbacks } from "@langchain/core/callbacks/manager";
import { ToolMessage } from "@langchain/core/messages";
import type { RunnableConfig } from "@langchain/core/runnables";
import { AsyncLocalStorageProviderSingleton } from "@langchain/core/singletons";
import { ToolInputParsingException } from "@langchain/core/tools";
import { ToolError, type JsonObject, type ToolContext, type ToolReturn } from "@toolweave/core";
import type { LangchainTool } from "./langchain-source.ts";
import { toToolOutput, toUpdate } from "./source-output.ts";

/** The environment of a tool, beside the executor's context. */
export interface ToolEnvironment {
  /** Fires when the source is closed. */
  readonly closing: AbortSignal;
  /** The tool is a generator, whose yields are updates. */
  readonly streams: boolean;
  readonly config: RunnableConfig;
}

/**
 * Runs a tool of LangChain's for one call.
 *
 * @throws ToolError `invalid_arguments` when the tool's own schema rejects arguments that match the JSON Schema;
 * `execution_failed` when it returns commands for a graph; `unavailable` when the source is closed; the tool's
 * exception.
 */
export async function invokeTool(
  tool: LangchainTool,
  args: JsonObject,
  ctx: ToolContext,
  { closing, streams, config }: ToolEnvironment,
): Promise<ToolReturn> {
  const { callId: id } = ctx;
  const signal = AbortSignal.any([ctx.signal, closing]);
  // LangChain's tools listen for a later abort and do not check for an earlier one.
  signal.throwIfAborted();
  const call = { type: "tool_call" as const, id, name: tool.name, args };
  const own = {
    ...config,
    ...(streams ? { callbacks: withUpdates(config.callbacks, ctx) } : {}),
    signal,
    // The same as LangGraph's `ToolNode` passes.
    toolCallId: id,
  };
  const invoke = (): Promise<unknown> => tool.invoke(call as never, own as never);
  let output: unknown;
  try {
    // Outside any graph: a graph's interrupts and state are not for a tool that runs here.
    output = await AsyncLocalStorageProviderSingleton.runWithConfig(undefined, invoke, true);
  } catch (error) {
    closing.throwIfAborted();
    if (error instanceof ToolInputParsingException) {
      throw new ToolError("invalid_arguments", `${ctx.toolName}: ${error.message}`, {
        cause: error,
      });
    }
    throw error;
  }
  return toToolOutput(findAnswer(output, id));
}

function withUpdates(callbacks: Callbacks | undefined, ctx: ToolContext): Callbacks {
  const updates = {
    name: "toolweave_updates",
    awaitHandlers: true,
    handleToolEvent: (chunk: unknown) => ctx.update(toUpdate(chunk)),
  };
  if (callbacks === undefined || Array.isArray(callbacks)) return [...(callbacks ?? []), updates];
  return callbacks.copy([BaseCallbackHandler.fromMethods(updates)]);
}

/** The message to the model among the commands for a graph. */
function findAnswer(output: unknown, callId: string): unknown {
  if (!isCommand(output)) return output;
  const { messages } = (output.update ?? {}) as { readonly messages?: unknown };
  const answer = (Array.isArray(messages) ? messages : []).find(
    (message) => ToolMessage.isInstance(message) && message.tool_call_id === callId,
  );
  if (answer !== undefined) return answer;
  throw new ToolError(
    "execution_failed",
    "The tool has run, and returned commands for a LangGraph graph, which cannot be executed here.",
  );
}

function isCommand(output: unknown): output is { readonly update?: unknown } {
  return (
    typeof output === "object" &&
    output !== null &&
    "lg_name" in output &&
    output.lg_name === "Command"
  );
}
