import type { Recorded } from "../../test/support/recording-server.ts";

/**
 * The verdict of an oracle on a request: no objections (an empty list), its objections, or why it cannot check the
 * operation, whatever is sent.
 */
export type Verdict = readonly Objection[] | { readonly cannot: string };

/** One objection of an oracle to a request. */
export interface Objection {
  /** The place and the rule, without positions in lists: `body.items.* [enum]`. */
  readonly rule: string;
  readonly message: string;
}

/** A third-party validator of requests, for one document. */
export interface Oracle {
  readonly name: string;
  /** @param path as in the document. */
  check(method: string, path: string, request: Recorded): Verdict;
}

/** `body.items.3 [type]` and `body.items.4 [type]` are one rule. */
export function toRule(path: readonly string[], code: string | number | undefined): string {
  const place = path.map((step) => (/^\d+$/.test(step) ? "*" : step)).join(".");
  return `${place} [${code ?? "none"}]`.trim();
}

/** Converts an error that an oracle throws for a request to an objection. */
export function toBreakdown(error: unknown): readonly Objection[] {
  const message = error instanceof Error ? error.message : String(error);
  return [{ rule: `breakdown: ${message.split("\n", 1)[0]}`, message }];
}
