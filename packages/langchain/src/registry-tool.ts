import {
  CallbackManager,
  parseCallbackConfigArg,
  type CallbackManagerForToolRun,
} from "@langchain/core/callbacks/manager";
import { ToolMessage } from "@langchain/core/messages";
import type { RunnableConfig } from "@langchain/core/runnables";
import { StructuredTool } from "@langchain/core/tools";
import type { JSONSchema } from "@langchain/core/utils/json_schema";
import {
  ToolError,
  type ToolErrorCode,
  type ToolOutcome,
  type ToolRun,
  type ToolSpec,
} from "@toolweave/core";
import { contentText, toToolCall, waitingText } from "@toolweave/core/integration";
import type { ToolInput } from "@toolweave/providers";
import {
  toArtifact,
  toMessageContent,
  toThrownError,
  toCallRecord,
  toThrownRecord,
  type AnswerRecord,
  type CallRecord,
  type MessageContent,
} from "./call-record.ts";
import { callDurably, type DurableCall } from "./durable-call.ts";

/** Gives the run that a call is made in. */
export type RunFor = (
  config: RunnableConfig,
  callId: string | undefined,
) => ToolRun | Promise<ToolRun>;

/** The fields that LangChain and LangGraph add to a tool's config. */
interface ToolConfig extends RunnableConfig {
  readonly toolCall?: { readonly id?: string };
  /** LangGraph's, within a graph. */
  readonly interrupt?: unknown;
}

/** A tool of the registry in the form of LangChain. The executor runs its calls. */
export class RegistryTool extends StructuredTool {
  static override lc_name(): string {
    return "ToolweaveTool";
  }
  readonly name: string;
  readonly description: string;
  readonly #input: ToolInput;
  readonly #runFor: RunFor;

  constructor(spec: ToolSpec, input: ToolInput, runFor: RunFor) {
    super({ responseFormat: "content_and_artifact" });
    this.name = spec.name;
    this.description = spec.description;
    this.#input = input;
    this.#runFor = runFor;
  }

  /** The input schema for the model. */
  get schema(): JSONSchema {
    return this.#input.schema as JSONSchema;
  }

  /**
   * Implements `invoke`. LangChain's own implementation would validate first, slowly, and throw; the executor's error
   * about invalid arguments helps a model more.
   *
   * @throws ToolError `cancelled`, or the reason of the abort; and, without a tool call that a message could answer,
   * any failure.
   */
  override async call(arg: unknown, configArg?: unknown): Promise<ToolMessage | MessageContent> {
    const config = parseCallbackConfigArg(configArg as RunnableConfig) as ToolConfig;
    // `invoke` unpacks a tool call, and other callers pass it on. Its arguments are the model's, even if they look like
    // another tool call.
    const isWhole = config.toolCall === undefined && isToolCall(arg);
    const { id, args } = isWhole ? arg : { id: config.toolCall?.id, args: arg };
    const input = this.#input.restore(args);
    const work = { id, name: this.name, ...this.#work(id, input, config) };
    const traced = (go: () => Promise<CallRecord>): Promise<CallRecord> =>
      this.#traced(input, id, config, go);
    const record =
      (isResumable(config) ? await callDurably(work, traced) : undefined) ??
      (await traced(work.execute));
    if ("thrown" in record) throw toThrownError(record);
    return this.#answer(record, id);
  }

  /** Not called: `call` is the whole implementation. */
  protected _call(input: unknown, _manager: unknown, config?: RunnableConfig): Promise<unknown> {
    return this.call(input, config);
  }

  #work(
    callId: string | undefined,
    input: unknown,
    config: ToolConfig,
  ): Pick<DurableCall, "execute" | "resume"> {
    const { signal } = config;
    const options = signal === undefined ? {} : { signal };
    const within = async (go: (run: ToolRun) => Promise<ToolOutcome>): Promise<CallRecord> => {
      let run: ToolRun;
      try {
        run = await this.#runFor(config, callId);
      } catch (error) {
        return toThrownRecord(error);
      }
      return toCallRecord(notCancelled(await go(run), signal));
    };
    return {
      execute: () =>
        within((run) => run.execute(toToolCall({ id: callId, name: this.name, input }), options)),
      resume: (interruption, answers) =>
        within((run) => run.executor.resume(interruption, answers, { ...options, run })),
    };
  }

  /** Notifies the listeners of LangChain's callbacks: tracers, and streams of events. */
  async #traced(
    input: unknown,
    callId: string | undefined,
    config: ToolConfig,
    work: () => Promise<CallRecord>,
  ): Promise<CallRecord> {
    const { callbacks, tags, metadata, runId, runName = this.name } = config;
    const manager = CallbackManager.configure(
      callbacks,
      this.callbacks,
      tags,
      this.tags,
      metadata,
      this.metadata,
      { verbose: this.verbose },
    );
    if (manager === undefined) return work();
    const toolMessage = isObject(input) ? { ...input } : (JSON.stringify(input) ?? "");
    const run: CallbackManagerForToolRun = await manager.handleToolStart(
      this.toJSON(),
      toolMessage,
      runId,
      undefined,
      undefined,
      undefined,
      runName,
      callId,
    );
    try {
      const record = await work();
      if ("thrown" in record) await run.handleToolError(toThrownError(record));
      else await run.handleToolEnd(this.#toolMessage(record, callId));
      return record;
    } catch (error) {
      await run.handleToolError(error);
      throw error;
    }
  }

  #toolMessage(record: AnswerRecord, callId: string | undefined): ToolMessage | MessageContent {
    return callId === undefined ? toMessageContent(record) : this.#message(record, callId);
  }

  #answer(record: AnswerRecord, callId: string | undefined): ToolMessage | MessageContent {
    if (callId !== undefined || isSuccess(record)) return this.#toolMessage(record, callId);
    if ("interruption" in record) {
      throw new ToolError("approval_invalid", waitingText(record.interruption));
    }
    const code = (record.error?.["code"] ?? "execution_failed") as ToolErrorCode;
    throw new ToolError(code, contentText(record.result.content));
  }

  #message(record: AnswerRecord, callId: string): ToolMessage {
    const content = toMessageContent(record);
    return new ToolMessage({
      // LangChain's providers read standard blocks only from this field.
      ...(typeof content === "string" ? { content } : { contentBlocks: content }),
      status: isSuccess(record) ? "success" : "error",
      artifact: toArtifact(record),
      tool_call_id: callId,
      name: this.name,
    });
  }
}

/** True within a graph that can be resumed: a checkpointer identifies it by its thread. */
function isResumable({ interrupt, configurable }: ToolConfig): boolean {
  return typeof interrupt === "function" && configurable?.["thread_id"] !== undefined;
}

/** @throws the reason of the abort: a caller that cancels expects no result. */
function notCancelled(outcome: ToolOutcome, signal: AbortSignal | undefined): ToolOutcome {
  if (outcome.status !== "failed" || outcome.error.code !== "cancelled") return outcome;
  signal?.throwIfAborted();
  throw outcome.error;
}

function isSuccess(record: AnswerRecord): boolean {
  return "result" in record && !record.result.isError;
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function isToolCall(
  value: unknown,
): value is { readonly type: "tool_call"; readonly id?: string; readonly args: unknown } {
  return isObject(value) && "type" in value && value.type === "tool_call";
}
