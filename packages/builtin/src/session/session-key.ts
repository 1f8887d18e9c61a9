import type { ToolContext } from "@toolweave/core";

/** A key for those who share the state of a session: its calls, of one caller with one agent. */
export function toSessionKey({
  sessionId,
  caller,
}: Pick<ToolContext, "sessionId" | "caller">): string {
  return JSON.stringify([sessionId ?? null, caller?.id ?? null, caller?.agent ?? null]);
}
