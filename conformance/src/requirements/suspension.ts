import { must, should, type Requirement } from "./requirement.ts";

const needs = ["suspendingCalls"] as const;
const asks = ["TW-SUSPEND-002"] as const;

/** How calls wait for a person and go on. */
export const suspensionRequirements: readonly Requirement[] = [
  must(
    "TW-SUSPEND-001",
    "5",
    "A call that has to wait for a person is interrupted, and asks for something.",
    needs,
  ),
  must(
    "TW-SUSPEND-002",
    "4",
    "What a person is asked says something, and can be answered.",
    needs,
    ["TW-SUSPEND-001"],
  ),
  must(
    "TW-SUSPEND-003",
    "5",
    "A call that is answered goes on from JSON, and completes.",
    needs,
    asks,
  ),
  must(
    "TW-SUSPEND-004",
    "1",
    "A call that is answered goes on in another instance, in another executor.",
    needs,
    ["TW-SUSPEND-003"],
  ),
  must("TW-SUSPEND-005", "5", "A call that waits has had no effect.", needs, ["TW-SUSPEND-001"]),
  must("TW-SUSPEND-006", "5", "A call that is answered has its effect once.", needs, [
    "TW-SUSPEND-003",
    "TW-SUSPEND-005",
  ]),
  must(
    "TW-SUSPEND-007",
    "5",
    "A call that a person refuses comes to an end, without effect.",
    needs,
    ["TW-SUSPEND-003", "TW-SUSPEND-005"],
  ),
  must(
    "TW-SUSPEND-008",
    "5",
    "As long as nobody has answered, the same call asks for the same.",
    needs,
    asks,
  ),
  must("TW-SUSPEND-009", "5", "Two calls that wait are each answered on their own.", needs, [
    "TW-SUSPEND-006",
    "TW-SUSPEND-008",
  ]),
  must("TW-SUSPEND-010", "5", "A call that waits sends nothing.", needs, ["TW-SUSPEND-001"]),
  should("TW-SUSPEND-011", "5", "What a waiting call keeps is at most 64 KiB of JSON.", needs, [
    "TW-SUSPEND-001",
  ]),
  must(
    "TW-SUSPEND-012",
    "7",
    "A call that was approved goes on in another instance, in another executor, and has its effect once.",
    ["effectCalls"],
    ["TW-PERM-005", "TW-CANCEL-001"],
  ),
  must(
    "TW-SUSPEND-013",
    "1",
    "A call that waits outlives the source that it was made with: it goes on when that is closed.",
    ["source", "suspendingCalls"],
    ["TW-SUSPEND-004", "TW-LIFE-003", "TW-LIFE-014"],
  ),
  must(
    "TW-SUSPEND-014",
    "4",
    "What a person is asked holds no hidden or direction-changing characters, and a target, an address or a code no line breaks.",
    needs,
    asks,
  ),
];
