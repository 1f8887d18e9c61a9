import { ToolError } from "./tool-error.ts";
import { canonicalJson } from "../json/canonical-json.ts";
import { formatValue } from "../text/format-value.ts";
/** The caller for whom a call is made. Set by the host, never by a model. */
export interface Caller {
  readonly id: string;
  readonly roles?: readonly string[];
  /** The agent that acts for the caller. */
  readonly agent?: string;
}

/** Copies by the host's object. Hosts pass the same object repeatedly, and caches are keyed by the copy. */
const copies = new WeakMap<Caller, Caller>();

/**
 * An immutable copy of a caller: tools, hooks and approvers see it, and policies decide by it. The same object has the
 * same copy until its contents change.
 *
 * @throws ToolError `invalid_configuration` when the value is not a caller: no rule about callers would match it.
 */
export function copyCaller(given: Caller): Caller {
  if (typeof given !== "object" || given === null) throw noCaller();
  const { id, roles, agent } = given;
  if (!isText(id) || !(agent === undefined || isText(agent)) || !isTexts(roles)) throw noCaller();
  const known = copies.get(given);
  if (known?.id === id && known.agent === agent && isSame(known.roles, roles)) return known;
  const copy: Caller = Object.freeze({
    id,
    ...(roles === undefined ? {} : { roles: Object.freeze([...roles]) }),
    ...(agent === undefined ? {} : { agent }),
  });
  copies.set(given, copy);
  return copy;
}

function isText(value: unknown): boolean {
  return typeof value === "string";
}

function isTexts(roles: unknown): boolean {
  return roles === undefined || (Array.isArray(roles) && roles.every(isText));
}

function noCaller(): ToolError {
  return new ToolError(
    "invalid_configuration",
    `The caller is none: use { id: "…" }, with roles: ["…"] and agent: "…" where there are any.`,
  );
}

function isSame(first: Caller["roles"], second: Caller["roles"]): boolean {
  if (first === undefined || second === undefined) return first === second;
  return first.length === second.length && first.every((role, index) => role === second[index]);
}

/** The session and the caller for which something is made, and which alone can read it again. */
export interface Behalf {
  readonly sessionId?: string | undefined;
  readonly caller?: Caller | undefined;
}

/**
 * Names the session and the caller that artifacts and tasks belong to. Without either, an artifact or a task has no
 * owner: then only its key, which cannot be guessed, protects it.
 */
export function toOwner({ sessionId, caller }: Behalf): string {
  checkSession(sessionId);
  return canonicalJson([sessionId ?? null, caller?.id ?? null]);
}

/**
 * The session and the caller that an owner names, without the roles and the agent of the caller.
 *
 * @param owner as a store receives it: `TaskRecord.owner` or `StoredArtifact.owner`.
 * @returns `undefined`: no executor has derived it.
 */
export function parseOwner(owner: string): Behalf | undefined {
  const parts = parseOwnerParts(owner);
  if (parts === undefined) return undefined;
  const [sessionId, id] = parts;
  return {
    ...(sessionId === null ? {} : { sessionId }),
    ...(id === null ? {} : { caller: { id } }),
  };
}

/** The two parts of an owner, which is JSON. `undefined`: it is no owner. */
export function parseOwnerParts(owner: string): [string | null, string | null] | undefined {
  let parsed: unknown;
  try {
    parsed = JSON.parse(owner);
  } catch {
    return undefined;
  }
  if (!Array.isArray(parsed) || parsed.length !== 2) return undefined;
  const [first, second] = parsed as readonly unknown[];
  return isTextOrNull(first) && isTextOrNull(second) ? [first, second] : undefined;
}

function isTextOrNull(value: unknown): value is string | null {
  return value === null || typeof value === "string";
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
 * @throws ToolError `invalid_configuration` if a session's id is not a string: two ids that are different objects could count as one
 * session, and a missing id (`null`, `NaN`) as no session.
 */
export function checkSession(sessionId: unknown): void {
  if (sessionId === undefined || typeof sessionId === "string") return;
  throw new ToolError(
    "invalid_configuration",
    `sessionId is ${formatValue(sessionId)}; use a text, such as String(id), or leave it out.`,
  );
}
