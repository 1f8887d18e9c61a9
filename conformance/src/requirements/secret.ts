import { must, type Requirement } from "./requirement.ts";

/** What never comes out. */
export const secretRequirements: readonly Requirement[] = [
  must("TW-SECRET-001", "10", "No secret is in a spec or a fingerprint.", ["secrets"]),
  must("TW-SECRET-002", "10", "No secret is in a source's id or in its problems.", [
    "source",
    "secrets",
  ]),
  must("TW-SECRET-003", "10", "No secret is in what a call answers, or in what it stores.", [
    "secrets",
    "succeedingCalls",
  ]),
  must("TW-SECRET-004", "6", "No secret is in what a failed call says.", [
    "secrets",
    "failingCalls",
  ]),
  must("TW-SECRET-005", "10", "No secret is in what a call sends while it runs.", [
    "secrets",
    "updatingCalls",
  ]),
  must("TW-SECRET-006", "10", "No secret is in what a person is asked.", ["secrets"]),
  must(
    "TW-SECRET-007",
    "6",
    "No secret is in what goes wrong while the backend is away.",
    ["source", "secrets", "outage", "succeedingCalls"],
    ["TW-SECRET-002"],
  ),
  must(
    "TW-SECRET-008",
    "6",
    "No secret is in what a host's log prints of a failed call's error.",
    ["secrets", "failingCalls"],
    ["TW-SECRET-004"],
  ),
  must("TW-SECRET-009", "10", "No secret is in what a call prints.", [
    "secrets",
    "succeedingCalls",
  ]),
];
