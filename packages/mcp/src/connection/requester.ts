import type { JsonObject, ToolContext } from "@toolweave/core";
import type { ServerRequestHandler } from "../server-requests/server-request-handler.ts";
import type { RequestOptions } from "../transport/messages/mcp-connection.ts";

/** Whose connection a request goes over: the one of the caller's credentials. */
export type OnBehalf = Pick<ToolContext, "caller">;

/** How a request of a call is made. */
export interface CallRequestOptions extends RequestOptions {
  /** With it the request goes on for a few seconds when nobody waits any more: hears what is answered then. */
  readonly onLate?: ((answer: unknown) => void) | undefined;
}

/** Requests to one server, over whatever connection there is at the time. */
export interface Requester {
  /** What the host answers when the server asks. */
  readonly requestHandler: ServerRequestHandler;
  /**
   * Makes a request, and gives what the server answered, unchecked.
   *
   * @param on a call, for what the server asks meanwhile to be about it; or a caller alone.
   * @throws ToolError as `callError` says, and when there is no connection.
   */
  request(
    method: string,
    params: JsonObject,
    options: CallRequestOptions,
    on: ToolContext | OnBehalf,
  ): Promise<unknown>;
}
