import { parseOwnerParts, type Caller } from "../contract/caller.ts";

/** Names those who share a memory: one caller with one agent. Calls without a caller share one. */
export function memoryOwner(caller: Caller | undefined): string {
  return JSON.stringify([caller?.id ?? null, caller?.agent ?? null]);
}

/** The beginning of the owners that share a caller, with each of its agents and without one. */
export function memoryOwnerPrefix(callerId: string): string {
  return `${JSON.stringify([callerId]).slice(0, -1)},`;
}

/**
 * The caller and the agent that an owner names.
 *
 * @param owner as `MemoryStore.findAcrossOwners` returns it.
 * @returns the members that it has; `undefined`: `memoryOwner` has not derived it.
 */
export function parseMemoryOwner(owner: string): Partial<Pick<Caller, "id" | "agent">> | undefined {
  const parts = parseOwnerParts(owner);
  if (parts === undefined) return undefined;
  const [id, agent] = parts;
  return { ...(id === null ? {} : { id }), ...(agent === null ? {} : { agent }) };
}
