import { ToolError } from "@toolweave/core";

/**
 * A body that is a stream, on its way to a server. What goes wrong with it is told before the server gets the blame.
 *
 * @param failed gets `execution_failed`, or the `ToolError` that the stream itself threw.
 */
export async function* watchedBody(
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
