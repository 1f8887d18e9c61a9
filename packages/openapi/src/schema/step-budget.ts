import { describePointer } from "../document/references/location.ts";
import type { Location } from "../document/references/location.ts";
import { OperationError } from "../document/operation.ts";

/** How many steps reading the schemas of one operation may take: one for each part that nobody has read before. */
const maxSteps = 1_000_000;

/** Counts what reading one operation costs: aliases can make a small document a huge one. */
export class StepBudget {
  #left = maxSteps;

  /** Begins with another operation, or with another response of it. */
  renew(): void {
    this.#left = maxSteps;
  }

  /**
   * Counts steps.
   *
   * @throws {ExhaustedBudget} there are none left.
   */
  spend(steps: number, at: Pick<Location, "scope" | "pointer">): void {
    this.#left -= steps;
    if (this.#left < 0) throw new ExhaustedBudget(at);
  }
}

/** The operation in hand is too large; what it has met on the way is not broken for others. */
export class ExhaustedBudget extends OperationError {
  constructor(at: Pick<Location, "scope" | "pointer">) {
    super(
      `reading the schemas of the operation takes more than ${maxSteps} steps`,
      describePointer(at),
    );
  }
}
