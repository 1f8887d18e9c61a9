import { describePointer } from "../document/references/location.ts";
import type { Location } from "../document/references/location.ts";
import { OperationError } from "../document/operation.ts";

/** Maximum number of steps for the schemas of one operation: one for each part that was not read before. */
const maxSteps = 1_000_000;

/** Limits the cost of reading one operation: aliases can expand a small document to a huge one. */
export class StepBudget {
  #remaining = maxSteps;

  /** Starts another operation, or another response of it. */
  renew(): void {
    this.#remaining = maxSteps;
  }

  /**
   * Counts steps.
   *
   * @throws {ExhaustedBudget} the budget is exhausted.
   */
  spend(steps: number, at: Pick<Location, "scope" | "pointer">): void {
    this.#remaining -= steps;
    if (this.#remaining < 0) throw new ExhaustedBudget(at);
  }
}

/** The current operation is too large; the schemas that it has reached remain valid for others. */
export class ExhaustedBudget extends OperationError {
  constructor(at: Pick<Location, "scope" | "pointer">) {
    super(
      `reading the schemas of the operation takes more than ${maxSteps} steps`,
      describePointer(at),
    );
  }
}
