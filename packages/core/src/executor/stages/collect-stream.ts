import { text } from "../../contract/content-block.ts";
import { stringifyExact } from "../../contract/exact-json.ts";
import type { JsonValue } from "../../json/json.ts";
import type { ToolOutput } from "../../contract/tool-result.ts";
import { ToolError } from "../../contract/tool-error.ts";
import { timedOut } from "../call/deadlines.ts";
import type { CallState } from "../call/call-state.ts";
import { toToolError } from "../call/to-tool-error.ts";
import { bytesOutput, toOutput } from "../../results/to-output.ts";
import { StreamBuffer } from "../../results/captured.ts";
import { isJsonMediaType } from "../../results/media-type.ts";
import {
  readStream,
  streamSource,
  type StreamFailure,
  type StreamSource,
} from "../../results/stream-source.ts";

/**
 * Reads a stream that a tool returned, one chunk at a time, up to `maxCapturedBytes`, and returns its content. The
 * timeout of the attempt still applies. If it passes or the stream is interrupted, the result is an error that includes
 * the content received so far; if nothing was received, the attempt fails. A call that is stopped cancels the stream,
 * and its content is dropped.
 */
export async function collectStream(execution: CallState, streamed: object): Promise<unknown> {
  const { signal } = execution;
  const source = streamSource(streamed);
  const captured = new StreamBuffer(
    execution.engine.largeOutputs.maxCapturedBytes,
    source.items !== undefined,
  );
  const cancel = (): void => source.cancel();
  // A signal that has already fired does not notify new listeners.
  if (signal.aborted) cancel();
  else signal.addEventListener("abort", cancel, { once: true });
  const timeout = new Promise<StreamFailure>((resolve) => {
    execution.ownTime.onStepEnd = () => resolve({ thrown: timedOut(execution) });
  });
  const reading = readStream(source, captured, signal);
  const broke = await Promise.race([reading, timeout]);
  captured.isClosed = true;
  // The call has an outcome already.
  if (signal.aborted) return new Promise(() => {});
  signal.removeEventListener("abort", cancel);
  if (broke !== undefined || captured.truncated) source.cancel();
  if (captured.truncated) execution.truncated = true;
  if (broke === undefined) return toCompleteOutput(execution, source, captured);
  if (captured.isEmpty) throw broke.thrown;
  return toPartialOutput(execution, source, captured, broke);
}

/** Cancels a stream that arrives after its call has ended. */
export function cancelStream(streamed: object): void {
  try {
    streamSource(streamed).cancel();
  } catch {
    // Another reader holds the stream and has to end it.
  }
}

/** The answer of a stream that has ended, or has reached the limit. */
function toCompleteOutput(
  execution: CallState,
  source: StreamSource,
  captured: StreamBuffer,
): unknown {
  const { response, items } = source;
  if (items !== undefined) return toListOutput(items, captured);
  const answer = toAnswer(source, captured);
  if (response === undefined) return answer;
  const line = `${response.status} ${response.statusText}`.trim();
  if (response.status >= 400) return refused(execution, response.status, line, answer);
  return captured.isEmpty ? line : answer;
}

/** Text, the parsed JSON of a body with a JSON type, blocks for binary content, or the list of items. */
function toAnswer({ mediaType }: StreamSource, captured: StreamBuffer): unknown {
  const { truncated } = captured;
  const taken = captured.take();
  const answer =
    taken instanceof Uint8Array ? bytesOutput(taken, mediaType, truncated) : (taken as unknown);
  if (typeof answer !== "string" || truncated || !isJsonMediaType(mediaType)) return answer;
  try {
    // Data from outside is a value, even if it looks like an output.
    return { content: [text(answer)], value: JSON.parse(answer) as JsonValue };
  } catch {
    return answer;
  }
}

/** The list of items received, even if they look like outputs. A truncated list is not a value. */
function toListOutput(
  { details }: NonNullable<StreamSource["items"]>,
  captured: StreamBuffer,
): ToolOutput {
  const value = captured.take() as JsonValue[];
  return {
    content: [text(stringifyExact(value))],
    ...(captured.truncated ? {} : { value }),
    ...(details === undefined ? {} : { details }),
  };
}

function refused(execution: CallState, status: number, line: string, answer: unknown): ToolOutput {
  const output = taken(execution, answer);
  const [first, ...rest] = output.content;
  const body = first?.type === "text" ? first.text : "";
  const message = body.trim() === "" ? line : `${line}: ${body}`;
  // Without the body: part of it could contain part of a secret, which redaction would not find.
  const error = new ToolError("upstream", `${execution.call.name} answered ${line}`, {
    status,
    retryable: status === 408 || status === 429 || (status >= 502 && status <= 504),
  });
  const others = first?.type === "text" ? rest : output.content;
  return { ...output, content: [text(message), ...others], isError: true, error };
}

/** The content received before the stream was interrupted. The reason comes first, since the end may not be shown. */
function toPartialOutput(
  execution: CallState,
  source: StreamSource,
  captured: StreamBuffer,
  { thrown }: StreamFailure,
): ToolOutput {
  const output =
    source.items === undefined
      ? taken(execution, toAnswer(source, captured))
      : toListOutput(source.items, captured);
  const error = toToolError(execution, thrown);
  const note = text(`[the answer broke off: ${error.message}]`);
  return { ...output, content: [note, ...output.content], isError: true, error };
}

function taken({ engine }: CallState, answer: unknown): ToolOutput {
  return toOutput(answer, false, engine.largeOutputs.maxCapturedBytes);
}
