import type { IncomingMessage, ServerResponse } from "node:http";

/** Converts a request to a `Request` without its body. Repeated headers keep all their values. */
export function toRequest(incoming: IncomingMessage, url: URL, signal: AbortSignal): Request {
  return new Request(url, {
    method: incoming.method ?? "GET",
    headers: toHeaders(incoming),
    signal,
  });
}

/**
 * Returns a POST request with its body. It has the signal itself: a chain of requests breaks if one of them is
 * garbage-collected.
 */
export function withBody(
  { url, headers }: Request,
  body: Uint8Array<ArrayBuffer>,
  signal: AbortSignal,
): Request {
  return new Request(url, { method: "POST", headers, body, signal });
}

function toHeaders({ rawHeaders }: IncomingMessage): Headers {
  const headers = new Headers();
  for (let index = 0; index < rawHeaders.length; index += 2) {
    headers.append(rawHeaders[index] as string, rawHeaders[index + 1] as string);
  }
  return headers;
}

/** Reads the body; `undefined`: it exceeds `maxBytes`, and the rest is not read. */
export async function readBody(
  incoming: IncomingMessage,
  maxBytes: number,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  if (Number(incoming.headers["content-length"] ?? 0) > maxBytes) return undefined;
  const parts: Buffer[] = [];
  let bytes = 0;
  // Leaving the loop must not close the connection, which still carries the error response.
  for await (const part of incoming.iterator({ destroyOnReturn: false })) {
    bytes += (part as Buffer).length;
    if (bytes > maxBytes) return undefined;
    parts.push(part as Buffer);
  }
  return Buffer.concat(parts);
}

/** True if the response is an event stream. */
export function isEventStream({ headers }: Response): boolean {
  return headers.get("content-type")?.startsWith("text/event-stream") === true;
}

/** Milliseconds that the headers of a stream wait for its first event. */
const headersWaitMs = 20;

/** Sends a response with backpressure. If `signal` is aborted, its body is cancelled and the response ends. */
export async function send(
  response: Response,
  outgoing: ServerResponse,
  signal: AbortSignal,
): Promise<void> {
  const reader = response.body?.getReader();
  const stop = (): void => void reader?.cancel().catch(() => {});
  if (signal.aborted || outgoing.destroyed) return stop();
  outgoing.statusCode = response.status;
  for (const [name, value] of response.headers) outgoing.appendHeader(name, value);
  if (reader === undefined) return end(outgoing);
  // The first event of a stream may be late; an immediate one is sent together with the headers.
  const flush = isEventStream(response)
    ? setTimeout(() => outgoing.flushHeaders(), headersWaitMs)
    : undefined;
  signal.addEventListener("abort", stop);
  try {
    for (;;) {
      const { done, value } = await reader.read();
      clearTimeout(flush);
      if (done || outgoing.destroyed) break;
      if (!outgoing.write(value)) await waitForDrain(outgoing);
    }
    await end(outgoing);
  } catch {
    // An incomplete response must not look complete.
    outgoing.destroy();
  } finally {
    clearTimeout(flush);
    signal.removeEventListener("abort", stop);
  }
}

/** Resolves when the last byte has been passed on, or never will be. */
function end(outgoing: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    outgoing.once("close", resolve);
    outgoing.end(resolve);
  });
}

function waitForDrain(outgoing: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      outgoing.off("drain", done).off("close", done);
      resolve();
    };
    outgoing.on("drain", done).on("close", done);
  });
}

/** First code that JSON-RPC reserves for server errors. */
const serverError = -32000;

/** Creates an HTTP response that rejects a request: a JSON-RPC error, without an id if there is none. */
export function toErrorResponse(
  status: number,
  message: string,
  headers: Readonly<Record<string, string>> = {},
  code: number = serverError,
  id: unknown = null,
): Response {
  const error = { code, message };
  return Response.json({ jsonrpc: "2.0", error, id }, { status, headers });
}
