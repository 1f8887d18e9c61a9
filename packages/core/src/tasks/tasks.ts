import type { Clock } from "../executor/clock.ts";
import type { TaskStore } from "./task-store.ts";

/** An executor's tasks: who may see what is decided here, whatever the store. */
export class Tasks {
  readonly store: TaskStore;
  readonly clock: Clock;

  constructor(store: TaskStore, clock: Clock) {
    this.store = store;
    this.clock = clock;
  }
}
