import type { Recorded } from "../../test/support/recording-server.ts";

/**
 * What a judge says of a request: nothing against it (an empty list), what it has against it, or why it cannot judge the
 * operation, whatever is sent.
 */
export type Verdict = readonly Objection[] | { readonly cannot: string };

/** One thing that a judge has against a request. */
export interface Objection {
  /** Where and by which rule, without positions in lists: `body.items.* [enum]`. */
  readonly rule: string;
  readonly message: string;
}

/** A validator of requests that others wrote, over one document. */
export interface Judge {
  readonly name: string;
  /** @param path as the document writes it. */
  judge(method: string, path: string, request: Recorded): Verdict;
}

/** `body.items.3 [type]` and `body.items.4 [type]` are one rule. */
export function ruleOf(path: readonly string[], code: string | number | undefined): string {
  const place = path.map((step) => (/^\d+$/.test(step) ? "*" : step)).join(".");
  return `${place} [${code ?? "none"}]`.trim();
}

/** A judge that breaks down over a request has something against it: what, its own fault says. */
export function breakdown(error: unknown): readonly Objection[] {
  const message = error instanceof Error ? error.message : String(error);
  return [{ rule: `breakdown: ${message.split("\n", 1)[0]}`, message }];
}
