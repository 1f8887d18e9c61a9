import type { IncomingMessage, ServerResponse } from "node:http";

/** The request as `fetch` has it, without its body. Names of headers that come twice keep all their values. */
export function toRequest(incoming: IncomingMessage, url: URL, signal: AbortSignal): Request {
  return new Request(url, {
    method: incoming.method ?? "GET",
    headers: headersOf(incoming),
    signal,
  });
}

/** The same, a POST, with its body. It hears of the signal itself: a chain of requests breaks where one is collected. */
export function withBody(
  { url, headers }: Request,
  body: Uint8Array<ArrayBuffer>,
  signal: AbortSignal,
): Request {
  return new Request(url, { method: "POST", headers, body, signal });
}

function headersOf({ rawHeaders }: IncomingMessage): Headers {
  const headers = new Headers();
  for (let index = 0; index < rawHeaders.length; index += 2) {
    headers.append(rawHeaders[index] as string, rawHeaders[index + 1] as string);
  }
  return headers;
}

/** The whole body; `undefined`: it has more bytes than that, and the rest is not read. */
export async function readBody(
  incoming: IncomingMessage,
  maxBytes: number,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  if (Number(incoming.headers["content-length"] ?? 0) > maxBytes) return undefined;
  const parts: Buffer[] = [];
  let bytes = 0;
  // Leaving the loop must not close the connection: it still has to carry the refusal.
  for await (const part of incoming.iterator({ destroyOnReturn: false })) {
    bytes += (part as Buffer).length;
    if (bytes > maxBytes) return undefined;
    parts.push(part as Buffer);
  }
  return Buffer.concat(parts);
}

/** Whether events come in it, for as long as its server likes. */
export function isEventStream({ headers }: Response): boolean {
  return headers.get("content-type")?.startsWith("text/event-stream") === true;
}

/** Milliseconds that the headers of a stream wait for its first event. */
const headersWaitMs = 20;

/** Sends the answer, no faster than it is read; what makes its body hears when `signal` fires, and the answer ends. */
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
  if (reader === undefined) return ended(outgoing);
  // A stream's first event may be long in coming; what comes at once is sent with the headers.
  const flush = isEventStream(response)
    ? setTimeout(() => outgoing.flushHeaders(), headersWaitMs)
    : undefined;
  signal.addEventListener("abort", stop);
  try {
    for (;;) {
      const { done, value } = await reader.read();
      clearTimeout(flush);
      if (done || outgoing.destroyed) break;
      if (!outgoing.write(value)) await drained(outgoing);
    }
    await ended(outgoing);
  } catch {
    // Half an answer must not look like a whole one.
    outgoing.destroy();
  } finally {
    clearTimeout(flush);
    signal.removeEventListener("abort", stop);
  }
}

/** Resolves when the last byte has been handed on, or never will be. */
function ended(outgoing: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    outgoing.once("close", resolve);
    outgoing.end(resolve);
  });
}

function drained(outgoing: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const go = (): void => {
      outgoing.off("drain", go).off("close", go);
      resolve();
    };
    outgoing.on("drain", go).on("close", go);
  });
}
