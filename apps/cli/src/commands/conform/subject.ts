import type { Manifest } from "@toolweave/conformance";

/** A subject of the conformance tests, with what was declared about it. */
export interface ConformSubject {
  readonly manifest: Manifest;
  /** Texts that must not be printed. */
  readonly secrets: readonly string[];
  /**
   * It has to be reached first: a document, a server. Rejects with why that fails, which then is no
   * rule that it breaks.
   */
  readonly isRemote: boolean;
}

/** The reason why a rule that needs sample calls does not apply to a subject without any. */
export const noSamples =
  "There are no sample calls, so no tool is called: declare them in a manifest or in a file for --config.";

/** The URL or path without what may be secret in it. */
export function stripLocationSecrets(location: string): string {
  const url = /^https?:/i.test(location) ? URL.parse(location) : null;
  return url === null ? location : `${url.origin}${url.pathname}`;
}
