import { BaseCallbackHandler } from "@langchain/core/callbacks/base";
import type { Callbacks } from "@langchain/core/callbacks/manager";
import { ToolMessage, type ContentBlock as MessageBlock } from "@langchain/core/messages";
import type { RunnableConfig } from "@langchain/core/runnables";
import { AsyncLocalStorageProviderSingleton } from "@langchain/core/singletons";
import { ToolInputParsingException } from "@langchain/core/tools";
import {
  ToolError,
  text,
  type JsonObject,
  type ToolContext,
  type ToolReturn,
  type ContentBlock,
  type JsonValue,
  type ToolOutput,
} from "@toolweave/core";

/**
 * A tool of LangChain's: what `tool(…)` gives, a `StructuredTool`, or `runnable.asTool(…)`. As loose as
 * this, since LangChain's own types of different arguments do not fit one another.
 */
export interface LangchainTool {
  readonly name: string;
  readonly description?: string | undefined;
  /** A schema of Zod's, a Standard Schema that gives JSON Schema, or JSON Schema. */
  readonly schema: unknown;
  invoke(input: never, config?: never): Promise<unknown>;
}

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

/** Converts the output of a LangChain tool: a message with content for the model, or any value. */
function toToolOutput(answer: unknown): ToolOutput | JsonValue {
  if (!ToolMessage.isInstance(answer)) return answer as JsonValue;
  const content = answer.contentBlocks.map(toContentBlock);
  const value = parseJsonContent(content);
  return {
    content,
    ...(value === undefined ? {} : { value }),
    isError: answer.status === "error",
    ...(answer.artifact === undefined ? {} : { details: answer.artifact as JsonValue }),
  };
}

/** Converts a value that a generator tool yields before its result. */
function toUpdate(chunk: unknown): ToolOutput {
  return { content: [text(typeof chunk === "string" ? chunk : (JSON.stringify(chunk) ?? ""))] };
}

/** The value of a text that is JSON: LangChain serializes an object or a list, and does not keep it. */
function parseJsonContent([first, ...more]: readonly ContentBlock[]): JsonValue | undefined {
  if (first?.type !== "text" || more.length > 0 || !/^\s*[[{]/.test(first.text)) return undefined;
  try {
    return JSON.parse(first.text) as JsonValue;
  } catch {
    return undefined;
  }
}

function toContentBlock(block: MessageBlock.Standard): ContentBlock {
  switch (block.type) {
    case "text":
      return text(block.text);
    case "image":
    case "audio":
    case "video":
    case "file":
    case "text-plain":
      return toDataBlock(block);
    default:
      return text(JSON.stringify(block));
  }
}

function toDataBlock(block: MessageBlock.Multimodal.Standard): ContentBlock {
  const { type, mimeType } = block;
  if (block.data !== undefined) {
    const data = typeof block.data === "string" ? block.data : toBase64(block.data);
    if ((type === "image" || type === "audio") && mimeType !== undefined) {
      return { type, data, mimeType };
    }
    const resource = { uri: `attachment:${type}`, blob: data };
    return {
      type: "resource",
      resource: mimeType === undefined ? resource : { ...resource, mimeType },
    };
  }
  if (type === "text-plain" && block.text !== undefined) return text(block.text);
  if (block.url === undefined) return text(JSON.stringify(block));
  const link = { type: "resource_link" as const, uri: block.url, name: type };
  return mimeType === undefined ? link : { ...link, mimeType };
}

function toBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
}
