import type { Caller } from "./caller.ts";
import { ToolError } from "./tool-error.ts";

/** What is known of one caller is found by the copy: hosts give the same object again and again. */
const copies = new WeakMap<Caller, Caller>();

/**
 * A caller that nobody changes any more: tools, hooks and approvers see it, and policies decide by it.
 * One copy for each object, for as long as that says the same.
 *
 * @throws ToolError `internal` when it is none: no rule about callers would find it.
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
    "internal",
    `The caller is none: use { id: "…" }, with roles: ["…"] and agent: "…" where there are any.`,
  );
}

function isSame(first: Caller["roles"], second: Caller["roles"]): boolean {
  if (first === undefined || second === undefined) return first === second;
  return first.length === second.length && first.every((role, index) => role === second[index]);
}
