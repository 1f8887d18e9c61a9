import { canonicalJson } from "../json/canonical-json.ts";
import { formatValue } from "../text/format-value.ts";
import type { Caller } from "./caller.ts";
import { ToolError } from "./tool-error.ts";

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
  checkSession(sessionId);
  return canonicalJson([sessionId ?? null, caller?.id ?? null]);
}

/**
 * Whose quota something counts against: the caller's, over all its sessions; without a caller the session's; else nobody
 * in particular, which has one quota for all.
 *
 * @param owner as a store gets it: `TaskRecord.owner`, `StoredArtifact.owner`, or that of `PendingCallStore.add`.
 */
export function quotaOwner(owner: string): string {
  try {
    const [, caller] = JSON.parse(owner) as readonly unknown[];
    return typeof caller === "string" ? JSON.stringify([null, caller]) : owner;
  } catch {
    return owner;
  }
}

/**
 * @throws ToolError `internal` for a session's id that is no text: two that are different objects
 * could count as one session, and no id at all (`null`, `NaN`) as nobody's.
 */
export function checkSession(sessionId: unknown): void {
  if (sessionId === undefined || typeof sessionId === "string") return;
  throw new ToolError(
    "internal",
    `sessionId is ${formatValue(sessionId)}; use a text, such as String(id), or leave it out.`,
  );
}
