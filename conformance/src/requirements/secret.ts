import { must, type Requirement } from "./requirement.ts";

/** Rules about secrets. */
export const secretRequirements: readonly Requirement[] = [
  must("TW-SECRET-001", "10", "A spec and a fingerprint contain no secret.", ["secrets"]),
  must("TW-SECRET-002", "10", "The id and the problems of a source contain no secret.", [
    "source",
    "secrets",
  ]),
  must("TW-SECRET-003", "10", "A result and the stored artifacts contain no secret.", [
    "secrets",
    "succeedingCalls",
  ]),
  must("TW-SECRET-004", "6", "An error message contains no secret.", ["secrets", "failingCalls"]),
  must("TW-SECRET-005", "10", "Updates and progress contain no secret.", [
    "secrets",
    "updatingCalls",
  ]),
  must("TW-SECRET-006", "10", "A request to a person contains no secret.", ["secrets"]),
  must(
    "TW-SECRET-007",
    "6",
    "Errors and problems during an outage contain no secret.",
    ["source", "secrets", "outage", "succeedingCalls"],
    ["TW-SECRET-002"],
  ),
  must(
    "TW-SECRET-008",
    "6",
    "The error of a failed call contains no secret when it is logged.",
    ["secrets", "failingCalls"],
    ["TW-SECRET-004"],
  ),
  must("TW-SECRET-009", "10", "A call prints no secret.", ["secrets", "succeedingCalls"]),
];
