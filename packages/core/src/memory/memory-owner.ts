import { isTextOrNull, type Caller } from "../contract/caller.ts";

/** Names those who share a memory: one caller with one agent. Calls without a caller share one. */
export function memoryOwner(caller: Caller | undefined): string {
  return JSON.stringify([caller?.id ?? null, caller?.agent ?? null]);
}

/**
 * The caller and the agent that an owner names.
 *
 * @param owner as `MemoryStore.listLatest` returns it.
 * @returns the members that it has; `undefined`: `memoryOwner` has not derived it.
 */
export function parseMemoryOwner(owner: string): Partial<Pick<Caller, "id" | "agent">> | undefined {
  let parsed: unknown;
  try {
    parsed = JSON.parse(owner);
  } catch {
    return undefined;
  }
  if (!Array.isArray(parsed) || parsed.length !== 2) return undefined;
  const [id, agent] = parsed as readonly unknown[];
  if (!isTextOrNull(id) || !isTextOrNull(agent)) return undefined;
  return { ...(id === null ? {} : { id }), ...(agent === null ? {} : { agent }) };
}
