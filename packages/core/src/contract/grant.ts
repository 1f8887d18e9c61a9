import type { Caller } from "./caller.ts";
import type { JsonObject, Awaitable } from "../json/json.ts";

/** How long a grant answers: for one session, or until it is revoked. */
type GrantScope = "session" | "always";

/**
 * A remembered yes: the next call that asks for exactly this is not asked about again. It holds for
 * one caller, one tool as its spec was, one permission, and, unless a person has widened it, the
 * same arguments. A deny always wins over it, and a rule with `ask: "always"` is not answered by it.
 */
export interface Grant {
  readonly id: string;
  readonly scope: GrantScope;
  /** The tool's name. */
  readonly tool: string;
  /** SHA-256 of the spec that was approved; a tool that changed since is asked about anew. */
  readonly specHash: string;
  readonly permission: { readonly kind: string; readonly target: string };
  /** A keyed hash of the arguments (HMAC-SHA-256). Absent: any arguments with the same permission. */
  readonly argumentsHash?: string;
  /** The caller that the grant is for. Absent: for calls without a caller. */
  readonly caller?: Caller;
  /** With scope `session`: in which session, or in which run where there is no session. */
  readonly session?: string;
  /** The person who approved. */
  readonly by?: string;
  /** Milliseconds since the epoch. */
  readonly grantedAt: number;
  /**
   * The definition of the tool at that time, to be compared with later definitions. Absent: it was longer than 20,000
   * characters.
   */
  readonly definition?: JsonObject;
  /**
   * Authenticates the grant with the executor's `key`: a grant that was written or changed without the key has no
   * effect. Absent, and not checked, if no key is set.
   */
  readonly seal?: string;
}

/**
 * The duration of an approval; with `arguments: "any"`, it applies to the same permission whatever the arguments are.
 */
export type GrantChoice = GrantScope | { readonly scope: GrantScope; readonly arguments: "any" };

/** A grant before it is stored, displayed to the person who decides about it. */
export type GrantProposal = Omit<
  Grant,
  "id" | "by" | "grantedAt" | "definition" | "scope" | "session" | "seal"
>;

/** Stores grants. In memory by default. If it throws, the call is refused: a grant must be certain. */
export interface GrantStore {
  add(grant: Grant): Awaitable<void>;
  /** All grants, or those for one tool, oldest first. */
  list(tool?: string): Awaitable<readonly Grant[]>;
  /** Revokes a grant; false when there is no grant of that id. */
  revoke(id: string): Awaitable<boolean>;
}

/** The store of a host that wants no grants: none is offered to a person. */
export const noGrants: GrantStore = {
  add: () => {},
  list: () => [],
  revoke: () => false,
};

/** Beyond this the oldest grants are dropped, so that those calls are asked about again. */
const maxGrants = 10_000;

/** Stores grants in this process, the latest 10,000. */
export function memoryGrants(): GrantStore {
  const grants = new Map<string, Grant>();
  return {
    add(grant) {
      grants.set(grant.id, grant);
      if (grants.size <= maxGrants) return;
      const [oldest] = grants.keys();
      if (oldest !== undefined) grants.delete(oldest);
    },
    list(tool) {
      const all = [...grants.values()];
      return tool === undefined ? all : all.filter((grant) => grant.tool === tool);
    },
    revoke: (id) => grants.delete(id),
  };
}
