import type { JsonValue } from "@toolweave/core";
import type { Recorded } from "@toolweave/test-support/recording-server";

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

/** The values of a call, by the names of the document. */
export interface RequestValues {
  readonly parameters: readonly SentValue[];
  /** Absent: there is none, or the media type that was sent determines its form. */
  readonly body?: JsonValue;
}

interface SentValue {
  readonly in: string;
  readonly name: string;
  readonly value: JsonValue;
}

/** A third-party validator or builder of requests, for one document. */
export interface Oracle {
  readonly name: string;
  /**
   * @param path as in the document.
   * @param values from which a builder makes its own request. Absent: the contender does not name them.
   */
  check(
    method: string,
    path: string,
    request: Recorded,
    values?: RequestValues,
  ): Verdict | Promise<Verdict>;
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
