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
