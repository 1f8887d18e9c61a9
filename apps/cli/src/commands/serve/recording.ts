import { resolve } from "node:path";
import type { ExecutorOptions, ToolExecutor } from "@toolweave/core";

/** A file that an executor's events are recorded in. */
export interface Recording {
  /** For the executor. */
  readonly options: Pick<ExecutorOptions, "eventPayloads">;
  /** Records the events from now on. */
  start(executor: ToolExecutor): void;
  /** Writes the rest. */
  close(): Promise<void>;
}

/**
 * Opens the file of `--events`. Arguments and outputs are recorded, too, without secrets. Without a path nothing is
 * recorded.
 *
 * @throws ToolError `store_unavailable` when the file cannot be opened.
 */
export async function openRecording(path: string | undefined): Promise<Recording> {
  if (path === undefined) return { options: {}, start: () => {}, close: async () => {} };
  const { eventFile } = await import("@toolweave/stores");
  const file = eventFile(resolve(path));
  return {
    options: { eventPayloads: true },
    start: (executor) => void executor.on(file),
    close: () => file.close(),
  };
}
