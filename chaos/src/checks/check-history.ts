import type { History, Violation } from "../history/history.ts";
import { checkBucket } from "./bucket.ts";
import {
  checkAnswersMatchEffects,
  checkApprovalsUsedOnce,
  checkEffectsAtMostOnce,
  checkUnknownsHaveCauses,
} from "./calls.ts";
import { checkArtifacts, checkBudgets, checkRates, checkSecrets } from "./data.ts";
import { checkEverythingEnds, checkOutcomesStay } from "./endings.ts";

/** The invariants of a history, by their numbers. */
const checks: readonly ((history: History) => readonly Violation[])[] = [
  checkEffectsAtMostOnce,
  checkApprovalsUsedOnce,
  checkOutcomesStay,
  checkEverythingEnds,
  checkAnswersMatchEffects,
  checkUnknownsHaveCauses,
  checkRates,
  checkArtifacts,
  checkBucket,
  checkSecrets,
  checkBudgets,
];

/** Finds every invariant that does not hold. */
export function checkHistory(history: History): readonly Violation[] {
  return checks.flatMap((check) => check(history));
}
