import { setTimeout as delay } from "node:timers/promises";

/** The parts of a message of JSON-RPC that tell what it is. */
interface Message {
  readonly id?: string | number;
  readonly method?: string;
}

const retryMs = 100;

/**
 * Sends the messages of a client of the SDK with a session. If the stream of a response ends before the response has
 * arrived, the request has an error at once; the SDK would wait for 60 s. The answer to a question is sent until a
 * gateway has received it: the SDK would send it once, and the call would wait for it.
 */
export function fetchForClients(deadline: AbortSignal): typeof fetch {
  return async (url, init) => {
    const message = readMessage(init?.body);
    if (message?.id === undefined) return fetch(url, init);
    if (message.method !== undefined) return withEnd(await fetch(url, init), message.id);
    for (;;) {
      const response = await fetch(url, init).catch(() => undefined);
      if (response !== undefined && response.status !== 502) return response;
      await response?.body?.cancel();
      if (deadline.aborted || init?.signal?.aborted === true) {
        throw new Error("The answer to a question has not been sent.");
      }
      await delay(retryMs);
    }
  };
}

function readMessage(body: unknown): Message | undefined {
  if (typeof body !== "string") return undefined;
  return JSON.parse(body) as Message;
}

/** The response; a stream that ends without the response of the protocol gets one. */
function withEnd(response: Response, id: string | number): Response {
  const { body, status, headers } = response;
  if (body === null || headers.get("content-type")?.startsWith("text/event-stream") !== true) {
    return response;
  }
  return new Response(ReadableStream.from(completed(body, id)), { status, headers });
}

async function* completed(
  body: ReadableStream<Uint8Array>,
  id: string | number,
): AsyncGenerator<Uint8Array> {
  const decoder = new TextDecoder();
  let text = "";
  let problem = "it has ended";
  try {
    for await (const chunk of body) {
      text += decoder.decode(chunk, { stream: true });
      yield chunk;
    }
  } catch (error) {
    problem = String(error);
  }
  const hasResponse = text
    .split("\n")
    .some((line) => line.startsWith("data: {") && isResponse(line.slice(6), id));
  if (hasResponse) return;
  const error = { code: -32_000, message: `Connection closed: ${problem}` };
  // An event that was cut off ends first.
  const event = `\n\ndata: ${JSON.stringify({ jsonrpc: "2.0", id, error })}\n\n`;
  yield new TextEncoder().encode(event);
}

function isResponse(data: string, id: string | number): boolean {
  try {
    const message = JSON.parse(data) as Message;
    return message.id === id && message.method === undefined;
  } catch {
    return false;
  }
}
