import { visibleText } from "@toolweave/core/adapter";

/** A rejected request of a server. The message is sent to the server. */
export class InvalidServerRequest extends Error {
  override readonly name = "InvalidServerRequest";
  /** JSON-RPC's code for invalid params; another one when the request itself is rejected. */
  readonly code: number;

  constructor(reason: string, code = -32602) {
    super(`The request was rejected: ${visibleText(reason)}.`);
    this.code = code;
  }
}
