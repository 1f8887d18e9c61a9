import { must, should, type Requirement } from "./requirement.ts";

/** Rules about errors. */
export const errorRequirements: readonly Requirement[] = [
  must("TW-ERROR-001", "6", "A call that should fail returns an error that a model can read.", [
    "failingCalls",
  ]),
  must("TW-ERROR-002", "6", "An error message contains no stack trace.", ["failingCalls"]),
  must("TW-ERROR-003", "6", "The code of an error is a known error code.", ["failingCalls"]),
  must("TW-ERROR-004", "6", "An error message contains no path of a file of the host.", [
    "failingCalls",
  ]),
  must("TW-ERROR-005", "6", "A call that fails repeatedly fails with the same code each time.", [
    "failingCalls",
  ]),
  must(
    "TW-ERROR-006",
    "6",
    "After a failed call, calls that should succeed still succeed.",
    ["failingCalls", "succeedingCalls"],
    ["TW-CALL-002"],
  ),
  must(
    "TW-ERROR-007",
    "6",
    "A call that should fail does not fail because of a programming error in the tool.",
    ["failingCalls"],
  ),
  should(
    "TW-ERROR-008",
    "6",
    "An upstream error contains the status or the body of the response.",
    ["failingCalls"],
  ),
  must("TW-ERROR-009", "6", "An error is retryable only if the same call can succeed later.", [
    "failingCalls",
  ]),
  should("TW-ERROR-010", "6", "An error message contains no terminal control codes.", [
    "failingCalls",
  ]),
  should("TW-ERROR-011", "6", "An error message has at most 4,000 bytes.", ["failingCalls"]),
  should("TW-ERROR-012", "6", "An error message is not an HTML page.", ["failingCalls"]),
  should("TW-ERROR-013", "6", "A tool throws only instances of Error.", ["failingCalls"]),
  must("TW-ERROR-014", "6", "An error message contains no object formatted as [object Object].", [
    "failingCalls",
  ]),
  should("TW-ERROR-015", "6", "An error message says more than that something went wrong.", [
    "failingCalls",
  ]),
  must(
    "TW-ERROR-016",
    "6",
    "A call that was not cancelled, skipped or rejected does not fail as if it had been.",
    ["failingCalls"],
  ),
  must(
    "TW-ERROR-017",
    "6",
    "The causes of an error form no cycle, and there are at most 100 of them.",
    ["failingCalls"],
  ),
];
