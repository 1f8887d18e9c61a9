import { must, should, type Requirement } from "./requirement.ts";

/** What tools say when something went wrong. */
export const errorRequirements: readonly Requirement[] = [
  must(
    "TW-ERROR-001",
    "6",
    "A call that should fail is answered with an error that a model can read.",
    ["failingCalls"],
  ),
  must("TW-ERROR-002", "6", "What a failed call says holds no stack.", ["failingCalls"]),
  must("TW-ERROR-003", "6", "The code of an error is one that exists.", ["failingCalls"]),
  must("TW-ERROR-004", "6", "What a failed call says names no path of the host's files.", [
    "failingCalls",
  ]),
  must("TW-ERROR-005", "6", "A call that fails again fails with the same code.", ["failingCalls"]),
  must(
    "TW-ERROR-006",
    "6",
    "After a call that failed, calls that should succeed succeed.",
    ["failingCalls", "succeedingCalls"],
    ["TW-CALL-002"],
  ),
  must(
    "TW-ERROR-007",
    "6",
    "A call that should fail does not fail by a slip of the tool's own program.",
    ["failingCalls"],
  ),
  should("TW-ERROR-008", "6", "An upstream error tells what the other side answered.", [
    "failingCalls",
  ]),
  must("TW-ERROR-009", "6", "An error is retryable only where the same call can succeed later.", [
    "failingCalls",
  ]),
  should("TW-ERROR-010", "6", "What a failed call says holds no terminal's control codes.", [
    "failingCalls",
  ]),
  should("TW-ERROR-011", "6", "What a failed call says is short: at most 4,000 bytes.", [
    "failingCalls",
  ]),
  should("TW-ERROR-012", "6", "What a failed call says is no HTML page.", ["failingCalls"]),
  should("TW-ERROR-013", "6", "What a tool throws is an Error.", ["failingCalls"]),
  must("TW-ERROR-014", "6", "What a failed call says shows no object as [object Object].", [
    "failingCalls",
  ]),
  should("TW-ERROR-015", "6", "What a failed call says is more than that something went wrong.", [
    "failingCalls",
  ]),
  must(
    "TW-ERROR-016",
    "6",
    "A call that nobody cancelled, skipped or refused does not fail as if somebody had.",
    ["failingCalls"],
  ),
  must(
    "TW-ERROR-017",
    "6",
    "The causes of what a tool throws come to an end: no circle, and at most 100 in all.",
    ["failingCalls"],
  ),
];
