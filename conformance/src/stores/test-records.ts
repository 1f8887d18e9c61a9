import type { Interruption } from "@toolweave/core";
import type { StoredArtifact, TaskRecord } from "@toolweave/core/stores";

/** An interruption for the tests of a store. It expires at `expiresAt`: by default far in the future. */
export function testInterruption(id: string, expiresAt = 9_000_000_000_000): Interruption {
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

/** A task for the tests of a store. It has just begun and expires far in the future. */
export function testTask(id: string, more: Partial<TaskRecord> = {}): TaskRecord {
  return {
    id,
    owner: '["session","ada"]',
    runId: "run_1",
    callId: `call_${id}`,
    tool: "build_report",
    status: "working",
    createdAt: 1_000,
    updatedAt: 1_000,
    expiresAt: 9_000_000_000_000,
    ...more,
  };
}

/** An artifact with its bytes. */
export interface TestArtifact {
  readonly artifact: StoredArtifact;
  readonly data: Uint8Array;
}

/** A key that is derived from a short word. */
export function testArtifactKey(word: string | number): string {
  const hex = Array.from(String(word), (character) =>
    (character.codePointAt(0) as number).toString(16).padStart(4, "0"),
  ).join("");
  return `art_${hex.slice(-32).padStart(32, "0")}`;
}

/** An artifact of the given number of bytes, whose neighbouring bytes differ. */
export function testArtifact(
  word: string | number,
  size: number,
  more: Partial<StoredArtifact> = {},
): TestArtifact {
  const data = new Uint8Array(size);
  for (let index = 0; index < size; index++) data[index] = (index * 31 + (index >> 8)) & 0xff;
  const artifact = {
    key: testArtifactKey(word),
    owner: '["session",null]',
    mediaType: "application/octet-stream",
    size,
    createdAt: 1_700_000_000_000,
    expiresAt: 9_000_000_000_000,
    ...more,
  };
  return { artifact, data };
}
