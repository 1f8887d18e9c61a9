import type { JsonObject, ToolContext } from "@toolweave/core";
import { withSignal } from "@toolweave/core/adapter";
import type { ServerRequestHandler } from "../server-requests/server-request-handler.ts";
import type { RequestOptions } from "../transport/messages/mcp-connection.ts";

/** The caller of a request, whose credentials select the connection. */
export type OnBehalf = Pick<ToolContext, "caller">;

/** Options of a call's request. */
export interface CallRequestOptions extends RequestOptions {
  /** If it is set, the request continues for a few seconds after it was cancelled; a late response is passed to it. */
  readonly onLate?: ((answer: unknown) => void) | undefined;
}

/** Sends requests to one server over its current connection. */
export interface Requester {
  /** Handles requests of the server. */
  readonly requestHandler: ServerRequestHandler;
  /**
   * Sends a request and returns the result, not validated.
   *
   * @param on The call that requests of the server in the meantime belong to; or a caller alone.
   * @throws ToolError as `toCallError` creates it, and when there is no connection.
   */
  request(
    method: string,
    params: JsonObject,
    options: CallRequestOptions,
    on: ToolContext | OnBehalf,
  ): Promise<unknown>;
}

/** Milliseconds that an aborted request continues. */
const lingerMs = 5_000;

/**
 * Sends a request and rejects as soon as its signal is aborted. A request with `onLate` then continues for `lingerMs`
 * without progress, and a late response is passed to `onLate`.
 */
export async function detachOnAbort(
  options: CallRequestOptions,
  send: (options: RequestOptions) => Promise<unknown>,
): Promise<unknown> {
  const { onLate, signal } = options;
  if (onLate === undefined) return send(options);
  if (signal.aborted) throw signal.reason as Error;
  const linger = new AbortController();
  const answer = send({ ...options, signal: linger.signal });
  try {
    return await withSignal(answer, signal);
  } catch (error) {
    if (signal.aborted) {
      const timer = setTimeout(() => linger.abort(), lingerMs);
      timer.unref();
      // No caller waits for a failure.
      void answer
        .then(onLate)
        .catch(() => {})
        .finally(() => clearTimeout(timer));
    }
    throw error;
  }
}
