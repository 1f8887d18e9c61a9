import { canonicalJson } from "../json/canonical-json.ts";
import { formatValue } from "../text/format-value.ts";
import type { Caller } from "./caller.ts";
import { ToolError } from "./tool-error.ts";

/** The session and the caller for which something is made, and which alone can read it again. */
export interface Behalf {
  readonly sessionId?: string | undefined;
  readonly caller?: Caller | undefined;
}

/**
 * Names the session and the caller that artifacts and tasks belong to. Without either, an artifact or a task has no
 * owner: then only its key, which cannot be guessed, protects it.
 */
export function ownerOf({ sessionId, caller }: Behalf): string {
  checkSession(sessionId);
  return canonicalJson([sessionId ?? null, caller?.id ?? null]);
}

/**
 * The owner whose quota something counts against: the caller, over all its sessions; without a caller the session;
 * without either, one quota that all such calls share.
 *
 * @param owner as a store receives it: `TaskRecord.owner`, `StoredArtifact.owner`, or that of `PendingCallStore.add`.
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
 * @throws ToolError `internal` if a session's id is not a string: two ids that are different objects could count as one
 * session, and a missing id (`null`, `NaN`) as no session.
 */
export function checkSession(sessionId: unknown): void {
  if (sessionId === undefined || typeof sessionId === "string") return;
  throw new ToolError(
    "internal",
    `sessionId is ${formatValue(sessionId)}; use a text, such as String(id), or leave it out.`,
  );
}
