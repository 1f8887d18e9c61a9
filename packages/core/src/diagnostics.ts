import { channel, type Channel } from "node:diagnostics_channel";
import type { ToolEvent } from "./events/tool-event.ts";
import type { ToolExecutor } from "./executor/tool-executor.ts";

/** A record of all of them, so that none is forgotten. */
const types: Record<ToolEvent["type"], true> = {
  "tool.requested": true,
  "tool.rejected": true,
  "tool.interrupted": true,
  "tool.resumed": true,
  "tool.authorized": true,
  "tool.started": true,
  "tool.updated": true,
  "tool.retried": true,
  "tool.progressed": true,
  "tool.suspended": true,
  "tool.completed": true,
  "tool.failed": true,
  "tool.late": true,
  "tool.replayed": true,
  "store.failed": true,
  "task.created": true,
  "task.working": true,
  "task.input_required": true,
  "task.completed": true,
  "task.failed": true,
  "task.cancelled": true,
  "registry.changed": true,
};

/**
 * Publishes an executor's events on channels of `node:diagnostics_channel`, for tools that watch a
 * whole process: each on `toolweave.event`, and on the one of its type, such as
 * `toolweave.tool.started`. Costs nothing while no channel has a subscriber. Returns what stops it.
 *
 * @example
 * ```ts
 * subscribe("toolweave.tool.failed", (event) => console.log((event as ToolCallEvent).tool));
 * const stop = publishDiagnostics(executor);
 * ```
 *
 * @see https://nodejs.org/api/diagnostics_channel.html
 */
export function publishDiagnostics(executor: ToolExecutor): () => void {
  const all = channel("toolweave.event");
  const byType = new Map<string, Channel>(
    Object.keys(types).map((type) => [type, channel(`toolweave.${type}`)]),
  );
  const channels = [all, ...byType.values()];
  return executor.on(
    (event) => {
      if (all.hasSubscribers) all.publish(event);
      const own = byType.get(event.type);
      if (own?.hasSubscribers === true) own.publish(event);
    },
    () => channels.some(({ hasSubscribers }) => hasSubscribers),
  );
}
