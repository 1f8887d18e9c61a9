/** Streams that only wait for changes: they are not counted among the requests that a caller has open. */
const idleStreams = new WeakSet<Response>();

/** Marks an answer as a stream that waits for changes, which the gateway counts by itself. */
export function markIdleStream(response: Response): Response {
  idleStreams.add(response);
  return response;
}

/** Whether the gateway has marked the answer. */
export function isIdleStream(response: Response): boolean {
  return idleStreams.has(response);
}

/** The same answer; `onEnd` is called once, when its body has been read to its end, or is not read any more. */
export function withStreamEnd(
  response: Response,
  signal: AbortSignal,
  onEnd: () => void,
): Response {
  const reader = response.body?.getReader();
  let ended = false;
  const end = (): void => {
    if (ended) return;
    ended = true;
    signal.removeEventListener("abort", end);
    onEnd();
  };
  if (reader === undefined) {
    end();
    return response;
  }
  signal.addEventListener("abort", end, { once: true });
  if (signal.aborted) end();
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (!done) return controller.enqueue(value);
          end();
          controller.close();
        } catch (error) {
          end();
          controller.error(error);
        }
      },
      async cancel(reason) {
        end();
        await reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
  const { status, statusText, headers } = response;
  return new Response(body, { status, statusText, headers });
}
