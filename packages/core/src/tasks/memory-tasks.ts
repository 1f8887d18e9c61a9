import { systemClock, type Clock } from "../executor/clock.ts";
import type { TaskRecord, TaskStore } from "./task-store.ts";

/** Tasks in memory: gone with the process. */
export function memoryTasks(clock: Clock = systemClock): TaskStore {
  const kept = new Map<string, TaskRecord>();
  const live = (id: string): TaskRecord | undefined => {
    const found = kept.get(id);
    return found !== undefined && found.expiresAt > clock.now() ? found : undefined;
  };
  return {
    add: (task) => void kept.set(task.id, task),
    change: (id, change) => {
      const task = live(id);
      if (task === undefined || (task.status !== "working" && task.status !== "input_required")) {
        return false;
      }
      kept.set(id, { ...task, ...change });
      return true;
    },
    get: live,
    list: (owner) =>
      Array.from(kept.values()).filter((task) => task.owner === owner && live(task.id)),
  };
}
