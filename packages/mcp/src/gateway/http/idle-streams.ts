/** Streams that only wait for notifications: they do not count among the requests of a caller. */
const idleStreams = new WeakSet<Response>();

/** Marks a response as a stream for notifications, which the gateway counts itself. */
export function markIdleStream(response: Response): Response {
  idleStreams.add(response);
  return response;
}

/** True if the gateway has marked the response. */
export function isIdleStream(response: Response): boolean {
  return idleStreams.has(response);
}

/** Returns the same response; `onEnd` is called once, when its body has been read to its end, or is no longer read. */
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
