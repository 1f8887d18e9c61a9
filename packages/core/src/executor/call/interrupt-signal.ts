import type { InterruptionRequest, Suspension } from "../../contract/interruption.ts";

/** How a stage leaves the pipeline when the call has to wait for a person. Never leaves the executor. */
export class InterruptSignal {
  readonly #requests: readonly InterruptionRequest[];
  /** Set when the tool itself, already running, asked to wait. */
  readonly suspension: Suspension | undefined;

  constructor(requests: readonly InterruptionRequest[], suspension?: Suspension) {
    this.#requests = requests;
    this.suspension = suspension;
  }

  get requests(): readonly InterruptionRequest[] {
    return this.#requests;
  }

  /** True for one of these. Asks nothing of `thrown`, which may be a proxy that throws when asked. */
  static is(thrown: unknown): thrown is InterruptSignal {
    return typeof thrown === "object" && thrown !== null && #requests in thrown;
  }
}
