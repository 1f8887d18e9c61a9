import { visibleText } from "@toolweave/core";

/** A question of a server's that is not put to anybody, and why: the text goes to the server. */
export class InvalidServerRequest extends Error {
  override readonly name = "InvalidServerRequest";
  /** JSON-RPC's code for parameters that are not what they have to be; another one when the request itself is refused. */
  readonly code: number;

  constructor(why: string, code = -32602) {
    super(`Nobody was asked: ${visibleText(why)}.`);
    this.code = code;
  }
}
