import type { EventView } from "@toolweave/console";
import { signal } from "@preact/signals";
import { requestJson } from "./client.ts";
import { onEvents } from "./event-stream.ts";
import { toApiError, type Resource, type ResourceState } from "./resource.ts";

/** The minimum time between two requests that events cause, in milliseconds. */
const minIntervalMs = 1000;

/** A resource that several screens use at once, and that is read again when an event says that it has changed. */
export interface SharedResource<Value> extends Resource<Value> {
  /** Reads it for the first time, and follows the events. */
  start(): void;
}

/**
 * Creates a resource of the whole page.
 *
 * @param isChanged Whether an event means that the resource has changed.
 */
export function sharedResource<Value>(
  path: string,
  isChanged: (event: EventView) => boolean,
): SharedResource<Value> {
  const state = signal<ResourceState<Value>>({ isLoading: true });
  let isRunning = false;
  let isStale = false;
  let isStarted = false;

  const load = async (): Promise<void> => {
    isRunning = true;
    isStale = false;
    const { value } = state.peek();
    state.value = { isLoading: true, ...(value === undefined ? {} : { value }) };
    try {
      state.value = { value: await requestJson<Value>(path), isLoading: false };
    } catch (error) {
      state.value = { error: toApiError(error), isLoading: false };
    }
    setTimeout(() => {
      isRunning = false;
      if (isStale) void load();
    }, minIntervalMs);
  };
  const reload = (): void => {
    if (isRunning) isStale = true;
    else void load();
  };
  return {
    state,
    reload,
    start() {
      if (isStarted) return;
      isStarted = true;
      reload();
      onEvents((events) => {
        if (events.some(isChanged)) reload();
      });
    },
  };
}

const waitingEvents: ReadonlySet<string> = new Set([
  "tool.interrupted",
  "tool.suspended",
  "tool.resumed",
  "task.input_required",
  "task.working",
  "events.dropped",
]);

/** Whether an event changes what waits for a person. */
export function changesApprovals({ type }: EventView): boolean {
  return waitingEvents.has(type);
}
