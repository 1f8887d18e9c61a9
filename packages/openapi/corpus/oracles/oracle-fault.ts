import type { CheckedCall } from "./check-document.ts";
import type { Objection } from "./oracle.ts";

/** The reason why an objection to a request is the oracle's own fault. */
export interface OracleFault {
  /** Names it in `known-faults.json`. */
  readonly id: string;
  readonly oracles: readonly string[];
  /** The oracle's behavior, and the specification that differs. */
  readonly because: string;
  /** Only for these operations of these documents: `document#GET /path`. Default: all that `known-faults.json` lists. */
  readonly only?: readonly string[];
  /** True for an objection that this explains, as far as the request itself proves it. */
  explains(objection: Objection, call: CheckedCall): boolean;
}

/** The two sides of an objection of swagger-client: `sent "…", it makes "…"`. */
export function getSides(message: string): { readonly sent: string; readonly made: string } {
  const [, sent = "", made = ""] = /^sent (.*), it makes (.*)$/s.exec(message) ?? [];
  return { sent, made };
}
