import { ToolError } from "@toolweave/core";
import type { Dispatcher } from "undici";
import { isBuffered, type RequestBody } from "../message/http-request.ts";

/** Converts a body to the form that undici accepts. */
export function toDispatchBody(
  body: RequestBody | undefined,
  origin: string,
  failed: (error: ToolError) => void,
): NonNullable<Dispatcher.DispatchOptions["body"]> | null {
  if (body === undefined) return null;
  if (isBuffered(body)) return body;
  // undici accepts any async iterable; its types only declare Node's own.
  return streamBody(body, origin, failed) as unknown as NonNullable<
    Dispatcher.DispatchOptions["body"]
  >;
}

/**
 * Streams a body to a server. Its errors are reported before the server's.
 *
 * @param failed is called with `execution_failed`, or with the `ToolError` that the stream itself threw.
 */
async function* streamBody(
  body: AsyncIterable<Uint8Array>,
  origin: string,
  failed: (error: ToolError) => void,
): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } catch (cause) {
    const message = `The body of the request to ${origin} could not be read to its end.`;
    failed(ToolError.is(cause) ? cause : new ToolError("execution_failed", message, { cause }));
    throw cause;
  }
}
