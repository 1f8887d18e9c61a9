import type { TaskRecord } from "@toolweave/core/stores";

/** A task that has just begun and expires far in the future. */
export function taskRecord(id: string, more: Partial<TaskRecord> = {}): TaskRecord {
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
