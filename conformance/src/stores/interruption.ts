import type { Interruption } from "@toolweave/core";

/** An interruption that expires at `expiresAt`: by default far in the future. */
export function interruption(id: string, expiresAt = 9_000_000_000_000): Interruption {
  return {
    id,
    runId: "run_1",
    call: { id: `call_${id}`, name: "delete_event", arguments: { id: 7 } },
    specHash: "ab".repeat(32),
    requests: [
      {
        id: `request_${id}`,
        type: "approval",
        permission: { kind: "mcp", target: "delete_event", summary: "Delete event 7" },
        reason: "It is destructive.",
      },
    ],
    expiresAt,
    state: `sealed:${id}`,
  };
}
