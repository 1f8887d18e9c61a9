import { text } from "../../contract/content-block.ts";
import { stringifyExact } from "../../contract/exact-json.ts";
import type { JsonValue } from "../../json/json.ts";
import type { ToolOutput } from "../../contract/tool-result.ts";
import { ToolError } from "../../contract/tool-error.ts";
import { timedOut } from "../call/deadlines.ts";
import type { CallState } from "../call/call-state.ts";
import { toToolError } from "../call/to-tool-error.ts";
import { bytesOutput } from "../../results/bytes-output.ts";
import { StreamBuffer } from "../../results/captured.ts";
import { essence, isJsonType } from "../../results/media-type.ts";
import { readStream, type StreamFailure } from "../../results/read-stream.ts";
import { streamSource, type StreamSource } from "../../results/stream-source.ts";
import { toOutput } from "../../results/to-output.ts";

/**
 * Reads a stream that a tool has answered with, one piece at a time, up to `maxCapturedBytes`, and
 * gives what is in it. The attempt's timeout goes on: when it passes, or the stream breaks off, what
 * has come so far is an error result; when nothing has, the attempt fails. A call that is stopped
 * cancels the stream, and nothing more comes of it here.
 */
export async function collectStream(execution: CallState, streamed: object): Promise<unknown> {
  const { signal } = execution;
  const source = streamSource(streamed);
  const captured = new StreamBuffer(
    execution.engine.largeOutputs.maxCapturedBytes,
    source.items !== undefined,
  );
  const cancel = (): void => source.cancel();
  // One that has been aborted tells nobody any more.
  if (signal.aborted) cancel();
  else signal.addEventListener("abort", cancel, { once: true });
  const timeout = new Promise<StreamFailure>((resolve) => {
    execution.ownTime.onStepEnd = () => resolve({ thrown: timedOut(execution) });
  });
  const reading = readStream(source, captured, signal);
  const broke = await Promise.race([reading, timeout]);
  captured.isClosed = true;
  // The call has its outcome already.
  if (signal.aborted) return new Promise(() => {});
  signal.removeEventListener("abort", cancel);
  if (broke !== undefined || captured.truncated) source.cancel();
  if (captured.truncated) execution.truncated = true;
  if (broke === undefined) return toCompleteOutput(execution, source, captured);
  if (captured.isEmpty) throw broke.thrown;
  return toPartialOutput(execution, source, captured, broke);
}

/** A stream that comes when nobody waits for it any more. */
export function cancelStream(streamed: object): void {
  try {
    streamSource(streamed).cancel();
  } catch {
    // Somebody else reads it: it is theirs to end.
  }
}

/** What a stream that came to its end, or to the limit, is an answer of. */
function toCompleteOutput(
  execution: CallState,
  source: StreamSource,
  captured: StreamBuffer,
): unknown {
  const { response, items } = source;
  if (items !== undefined) return listOf(items, captured);
  const answer = answerOf(source, captured);
  if (response === undefined) return answer;
  const line = `${response.status} ${response.statusText}`.trim();
  if (response.status >= 400) return refused(execution, response.status, line, answer);
  return captured.isEmpty ? line : answer;
}

/** Text, JSON of a body that says it is, blocks for what is binary, or the list of what came. */
function answerOf({ mediaType }: StreamSource, captured: StreamBuffer): unknown {
  const { truncated } = captured;
  const taken = captured.take();
  const answer =
    taken instanceof Uint8Array ? bytesOutput(taken, mediaType, truncated) : (taken as unknown);
  if (typeof answer !== "string" || truncated || !isJsonType(essence(mediaType))) return answer;
  try {
    // Data from outside is a value, whatever it looks like.
    return { content: [text(answer)], value: JSON.parse(answer) as JsonValue };
  } catch {
    return answer;
  }
}

/** The list of what came, whatever its items look like. Half a list is no value. */
function listOf(
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
  // Without the body: a part of it could hold a part of a secret, which nobody would find.
  const error = new ToolError("upstream", `${execution.call.name} answered ${line}`, {
    status,
    retryable: status === 408 || status === 429 || (status >= 502 && status <= 504),
  });
  const others = first?.type === "text" ? rest : output.content;
  return { ...output, content: [text(message), ...others], isError: true, error };
}

/** What came before the stream broke off, and why it did: first, since the end may not be shown. */
function toPartialOutput(
  execution: CallState,
  source: StreamSource,
  captured: StreamBuffer,
  { thrown }: StreamFailure,
): ToolOutput {
  const output =
    source.items === undefined
      ? taken(execution, answerOf(source, captured))
      : listOf(source.items, captured);
  const error = toToolError(execution, thrown);
  const note = text(`[the answer broke off: ${error.message}]`);
  return { ...output, content: [note, ...output.content], isError: true, error };
}

function taken({ engine }: CallState, answer: unknown): ToolOutput {
  return toOutput(answer, false, engine.largeOutputs.maxCapturedBytes);
}
