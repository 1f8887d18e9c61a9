import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import { startServer } from "@toolweave/test-support/start-server";
import { deferred } from "./deferred.ts";

/** A request that a receiver got. */
export interface ReceivedRequest {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A receiver of webhooks: a real server on loopback. */
export interface Receiver {
  readonly url: string;
  readonly origin: string;
  /** All requests so far. */
  readonly requests: readonly ReceivedRequest[];
  /** Resolves with the request of that number, beginning with 1. */
  received(number: number): Promise<ReceivedRequest>;
}

/**
 * Starts a receiver that ends with the test.
 *
 * @param respond answers the request of a number. Default: 204.
 */
export async function startReceiver(
  respond: (response: ServerResponse, number: number) => void = (response) =>
    void response.writeHead(204).end(),
): Promise<Receiver> {
  const requests: ReceivedRequest[] = [];
  let onRequest = deferred();
  const server = createServer(async (incoming, response) => {
    let body = "";
    for await (const part of incoming.setEncoding("utf8")) body += part as string;
    requests.push({ headers: incoming.headers, body });
    respond(response, requests.length);
    onRequest.resolve();
    onRequest = deferred();
  });
  const origin = await startServer(server);
  return {
    url: `${origin}/hooks?channel=a`,
    origin,
    requests,
    async received(number) {
      while (requests.length < number) await onRequest.promise;
      return requests[number - 1] as ReceivedRequest;
    },
  };
}
