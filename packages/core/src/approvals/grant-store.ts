import type { Awaitable } from "../json/json.ts";
import type { Grant } from "../contract/grant.ts";

/** Keeps grants. In memory by default. What it throws refuses the call: a grant must be certain. */
export interface GrantStore {
  add(grant: Grant): Awaitable<void>;
  /** All grants, or those for one tool, oldest first. */
  list(tool?: string): Awaitable<readonly Grant[]>;
  /** Takes a grant back; false when there is none of that id. */
  revoke(id: string): Awaitable<boolean>;
}
