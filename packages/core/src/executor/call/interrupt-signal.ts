import type { InterruptionRequest, Suspension } from "../../contract/interruption.ts";

/** Thrown by a stage when the call has to wait for a person. Never leaves the executor. */
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

  /** True for an instance. Reads no member of `thrown`, which may be a proxy that throws. */
  static is(thrown: unknown): thrown is InterruptSignal {
    return typeof thrown === "object" && thrown !== null && #requests in thrown;
  }
}
