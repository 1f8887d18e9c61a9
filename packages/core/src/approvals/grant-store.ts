import type { Awaitable } from "../json/json.ts";
import type { Grant } from "../contract/grant.ts";

/** Stores grants. In memory by default. If it throws, the call is refused: a grant must be certain. */
export interface GrantStore {
  add(grant: Grant): Awaitable<void>;
  /** All grants, or those for one tool, oldest first. */
  list(tool?: string): Awaitable<readonly Grant[]>;
  /** Revokes a grant; false when there is no grant of that id. */
  revoke(id: string): Awaitable<boolean>;
}

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
