import type { ToolContext } from "@toolweave/core";
import { steadyClock, ToolsetSnapshot } from "@toolweave/core/adapter";

/** The minimum of a tool's context, for tests that run one without an executor. */
export function toolContext(signal: AbortSignal = new AbortController().signal): ToolContext {
  const unused = (): never => {
    throw new Error("an OpenAPI tool does not need this");
  };
  return {
    callId: "call_1",
    toolName: "tool",
    attempt: 1,
    runId: "run_1",
    signal,
    injected: undefined,
    scope: {
      toolset: new ToolsetSnapshot(0, new Map()),
      clock: steadyClock,
      inheritedContext: new Map(),
      execute: unused,
      executeAll: unused,
      resume: unused,
    },
    artifacts: { write: unused, read: unused },
    update: unused,
    progress: unused,
    checkpoint: unused,
    idempotencyKey: () => Promise.resolve("0123456789abcdef".repeat(4)),
  };
}
