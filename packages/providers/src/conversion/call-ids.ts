/** The prefix of ids for calls that came without one. */
const prefix = "toolweave_";

/** An id for a call that a model gave none. */
export function newCallId(): string {
  return `${prefix}${globalThis.crypto.randomUUID().replaceAll("-", "")}`;
}

/** True for an id of `newCallId`: the provider knows nothing of it. */
export function isOwnCallId(id: string): boolean {
  return id.startsWith(prefix);
}
