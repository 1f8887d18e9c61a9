import { must, should, type Requirement } from "./requirement.ts";

const needs = ["suspendingCalls"] as const;
const asks = ["TW-SUSPEND-002"] as const;

/** Rules about calls that wait for a person. */
export const suspensionRequirements: readonly Requirement[] = [
  must(
    "TW-SUSPEND-001",
    "5",
    "A call that has to wait for a person is interrupted and has a request.",
    needs,
  ),
  must("TW-SUSPEND-002", "4", "A request to a person is not blank and can be answered.", needs, [
    "TW-SUSPEND-001",
  ]),
  must("TW-SUSPEND-003", "5", "An answered call resumes from JSON and completes.", needs, asks),
  must("TW-SUSPEND-004", "1", "An answered call resumes in another instance and executor.", needs, [
    "TW-SUSPEND-003",
  ]),
  must("TW-SUSPEND-005", "5", "A waiting call has had no effect.", needs, ["TW-SUSPEND-001"]),
  must("TW-SUSPEND-006", "5", "An answered call has its effect exactly once.", needs, [
    "TW-SUSPEND-003",
    "TW-SUSPEND-005",
  ]),
  must("TW-SUSPEND-007", "5", "A call that a person rejects ends without effect.", needs, [
    "TW-SUSPEND-003",
    "TW-SUSPEND-005",
  ]),
  must(
    "TW-SUSPEND-008",
    "5",
    "Until it is answered, the same call makes the same request.",
    needs,
    asks,
  ),
  must("TW-SUSPEND-009", "5", "Two waiting calls are answered independently.", needs, [
    "TW-SUSPEND-006",
    "TW-SUSPEND-008",
  ]),
  must("TW-SUSPEND-010", "5", "A waiting call sends nothing.", needs, ["TW-SUSPEND-001"]),
  should("TW-SUSPEND-011", "5", "The state of a waiting call is at most 64 KiB of JSON.", needs, [
    "TW-SUSPEND-001",
  ]),
  must(
    "TW-SUSPEND-012",
    "7",
    "An approved call resumes in another instance and executor, and has its effect exactly once.",
    ["effectCalls"],
    ["TW-PERM-005", "TW-CANCEL-001"],
  ),
  must(
    "TW-SUSPEND-013",
    "1",
    "A waiting call can be resumed after the source that it was made with was closed.",
    ["source", "suspendingCalls"],
    ["TW-SUSPEND-004", "TW-LIFE-003", "TW-LIFE-014"],
  ),
  must(
    "TW-SUSPEND-014",
    "4",
    "A request to a person contains no hidden or direction-changing characters; a target, an address or a code has no line breaks.",
    needs,
    asks,
  ),
];
