import type { Clock } from "../executor/clock.ts";
import type { ArtifactStore } from "./artifact-store.ts";

/** An executor's artifacts: who may read what is decided here, whatever the store. */
export class Artifacts {
  readonly store: ArtifactStore;
  readonly clock: Clock;

  constructor(store: ArtifactStore, clock: Clock) {
    this.store = store;
    this.clock = clock;
  }
}
