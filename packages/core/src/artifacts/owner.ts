import { canonicalJson } from "../schema/canonical-json.ts";
import type { Caller } from "../spec/caller.ts";

/** On whose behalf something is made, and by whom alone it can be read again. */
export interface Behalf {
  readonly sessionId?: string | undefined;
  readonly caller?: Caller | undefined;
}

/**
 * Names the session and the caller that artifacts and tasks belong to. What is made on nobody's
 * behalf belongs to nobody in particular: then the key, which cannot be guessed, is all that guards it.
 */
export function ownerOf({ sessionId, caller }: Behalf): string {
  return canonicalJson([sessionId ?? null, caller?.id ?? null]);
}
