import {
  ToolError,
  ajvValidator,
  type Clock,
  type JsonSchema,
  type JsonValue,
  type ToolResult,
  type ToolSpec,
  type Toolset,
} from "@toolweave/core";
import { pause, withSignal, type CompiledSchema } from "@toolweave/core/adapter";
import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4FunctionTool,
} from "@ai-sdk/provider";
import { ModelAnswer, type ModelCall } from "./model-answer.ts";
import { modelContent, perObject, type ContentFile } from "@toolweave/core/integration";
import type { FilePart, ToolResultOutput, ToolResultPart } from "./message.ts";

/** The maximum number of requests of one turn to a model whose error is retryable. */
const attempts = 3;
const firstDelayMs = 1000;
/** If a provider asks for a longer wait than this, the step is not retried. */
const maxWaitMs = 60_000;

/** Receives a piece of an answer. */
export type OnDelta = (type: "text.delta" | "reasoning.delta", delta: string) => void;

/**
 * Asks a model for one answer. If the model's error is retryable, the request is repeated, up to three in all, as long
 * as no part of an answer has arrived.
 *
 * @param answer receives the parts as they arrive: it has them even when this rejects.
 * @throws ToolError `upstream` or `unavailable` when the model fails; the signal's reason when it fires.
 */
export async function modelStep(
  model: LanguageModelV4,
  options: LanguageModelV4CallOptions & { readonly abortSignal: AbortSignal },
  clock: Clock,
  answer: ModelAnswer,
  onDelta: OnDelta | undefined,
): Promise<void> {
  const { abortSignal } = options;
  let streams = typeof model.doStream === "function";
  for (let attempt = 1; ; attempt++) {
    try {
      abortSignal.throwIfAborted();
      await (streams ? streamed : generated)(model, options, answer, onDelta);
      abortSignal.throwIfAborted();
      break;
    } catch (error) {
      abortSignal.throwIfAborted();
      if (streams && !answer.hasBegun && isUnsupported(error)) {
        streams = false;
        continue;
      }
      const delayMs = firstDelayMs * 2 ** (attempt - 1);
      const waitMs = Math.max(delayMs, readRetryAfterMs(error));
      const isOver = attempt === attempts || answer.hasBegun || waitMs > maxWaitMs;
      if (isOver || !isRetryable(error)) throw toModelError(error);
      await pause(waitMs, { clock, signal: abortSignal });
      abortSignal.throwIfAborted();
    }
  }
  if (answer.finishReason === undefined) {
    throw new ToolError("unavailable", "The model's answer broke off before its end.");
  }
}

async function streamed(
  model: LanguageModelV4,
  options: LanguageModelV4CallOptions & { readonly abortSignal: AbortSignal },
  answer: ModelAnswer,
  onDelta: OnDelta | undefined,
): Promise<void> {
  const { abortSignal } = options;
  const asked = Promise.resolve(model.doStream(options));
  const { stream } = await withSignal(asked, abortSignal, ({ stream }) => stream.cancel());
  const reader = stream.getReader();
  const stop = (): void => void reader.cancel(abortSignal.reason).catch(() => {});
  abortSignal.addEventListener("abort", stop, { once: true });
  // It may have fired between the stream's arrival and now.
  if (abortSignal.aborted) stop();
  try {
    for (;;) {
      // A cancelled request ends, even if the model ignores its signal.
      const { done, value } = await reader.read();
      if (done || abortSignal.aborted) return;
      answer.take(value);
      if (onDelta === undefined) continue;
      if (value.type === "text-delta") onDelta("text.delta", value.delta);
      else if (value.type === "reasoning-delta") onDelta("reasoning.delta", value.delta);
    }
  } catch (error) {
    stop();
    throw error;
  } finally {
    abortSignal.removeEventListener("abort", stop);
  }
}

async function generated(
  model: LanguageModelV4,
  options: LanguageModelV4CallOptions & { readonly abortSignal: AbortSignal },
  answer: ModelAnswer,
  onDelta: OnDelta | undefined,
): Promise<void> {
  const asked = Promise.resolve(model.doGenerate(options));
  const { content, finishReason, usage } = await withSignal(asked, options.abortSignal);
  for (const part of content) {
    answer.add(part);
    if (part.type === "text") onDelta?.("text.delta", part.text);
    else if (part.type === "reasoning") onDelta?.("reasoning.delta", part.text);
  }
  answer.finishReason = finishReason.unified;
  answer.usage = usage;
}

/** The fields that are read of an error of a provider package (`APICallError` of `@ai-sdk/provider`). */
interface ProviderError {
  readonly isRetryable?: unknown;
  readonly statusCode?: unknown;
  readonly responseHeaders?: Readonly<Record<string, string>>;
}

/** A model that does not stream may throw an error about that. */
function isUnsupported(error: unknown): boolean {
  return (error as Error | undefined)?.name === "AI_UnsupportedFunctionalityError";
}

function isRetryable(error: unknown): boolean {
  return (error as ProviderError | undefined)?.isRetryable === true;
}

/** Milliseconds that the provider asks to wait (RFC 9110 section 10.2.3, in seconds); 0: it does not. */
function readRetryAfterMs(error: unknown): number {
  const seconds = Number((error as ProviderError | undefined)?.responseHeaders?.["retry-after"]);
  return seconds > 0 ? seconds * 1000 : 0;
}

/** Without the provider's own words, which may quote what was sent to it. */
function toModelError(cause: unknown): ToolError {
  if (ToolError.is(cause)) return cause;
  const { statusCode } = (cause ?? {}) as ProviderError;
  const status = typeof statusCode === "number" ? statusCode : undefined;
  const retryAfterMs = readRetryAfterMs(cause);
  return new ToolError(
    isRetryable(cause) ? "unavailable" : "upstream",
    `The model did not answer${status === undefined ? "" : ` (HTTP ${status})`}.`,
    {
      cause,
      ...(status === undefined ? {} : { status }),
      ...(retryAfterMs === 0 ? {} : { retryAfterMs }),
    },
  );
}

const validator = ajvValidator();
const compiled = new WeakMap<JsonSchema, Promise<CompiledSchema>>();

/** The answer of a model as JSON, or the problem with it. */
type ReadOutput =
  | { readonly value: JsonValue; readonly problem?: undefined }
  | { readonly problem: string };

/** Reads an answer that has to keep `schema`. Rejects for a schema that cannot be used. */
export async function readOutput(schema: JsonSchema, text: string): Promise<ReadOutput> {
  let check = compiled.get(schema);
  if (check === undefined) {
    check = Promise.resolve(validator.compile(schema));
    compiled.set(schema, check);
  }
  const isFit = await check;
  let value: JsonValue;
  try {
    value = JSON.parse(unfenced(text)) as JsonValue;
  } catch {
    return { problem: "it is no JSON" };
  }
  const [problem] = isFit(value) ?? [];
  if (problem === undefined) return { value };
  return { problem: `${problem.path === "" ? "it" : problem.path} ${problem.message}` };
}

/** Models that know no JSON mode put it between fences. */
function unfenced(text: string): string {
  const trimmed = text.trim();
  const isFenced = trimmed.length >= 6 && trimmed.startsWith("```") && trimmed.endsWith("```");
  // One pattern for all of it would take a time that grows with the cube of a run of spaces.
  return isFenced ? trimmed.slice(3, -3).replace(/^json/i, "").trim() : trimmed;
}

/** The listed tools of a toolset for a model; the same list for the same toolset. */
export const functionTools: (toolset: Toolset) => LanguageModelV4FunctionTool[] = perObject(
  (toolset: Toolset) => toolset.specs().map(toFunctionTool),
);

/** The result of a call for a model. */
export function toResultOutput({
  content,
  isError,
}: Pick<ToolResult, "content" | "isError">): ToolResultOutput {
  if (isError) return { type: "error-text", value: modelContent(content) };
  const value = modelContent(content, toFilePart);
  return typeof value === "string" ? { type: "text", value } : { type: "content", value };
}

function toFilePart({ mediaType, data }: ContentFile): FilePart {
  return { type: "file", mediaType, data: { type: "data", data } };
}

function toFunctionTool({ name, description, inputSchema }: ToolSpec): LanguageModelV4FunctionTool {
  return {
    type: "function",
    name,
    description,
    inputSchema: inputSchema as LanguageModelV4FunctionTool["inputSchema"],
  };
}

/** The result of a call that the loop has not made. */
export function notRun({ id, name }: Pick<ModelCall, "id" | "name">, why: string): ToolResultPart {
  return {
    type: "tool-result",
    toolCallId: id,
    toolName: name,
    output: { type: "error-text", value: `${name} was not run: ${why}.` },
  };
}
