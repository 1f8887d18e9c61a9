import { ToolError, type Clock } from "@toolweave/core";
import { pause, withSignal } from "@toolweave/core/adapter";
import type { LanguageModelV4, LanguageModelV4CallOptions } from "@ai-sdk/provider";
import { ModelAnswer } from "./model-answer.ts";

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
