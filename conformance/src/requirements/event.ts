import { must, should, type Requirement } from "./requirement.ts";

const needs = ["updatingCalls"] as const;
const sends = ["TW-EVENT-001"] as const;

/** What a call tells while it runs. */
export const eventRequirements: readonly Requirement[] = [
  must(
    "TW-EVENT-001",
    "4",
    "A call that shows how far it is completes, and sends an update or its progress before.",
    needs,
  ),
  must("TW-EVENT-002", "4", "An update is an output that a host can show.", needs, sends),
  must(
    "TW-EVENT-003",
    "4",
    "Progress is told in finite numbers from 0 on, and in texts.",
    needs,
    sends,
  ),
  must("TW-EVENT-004", "5", "Nothing is sent after the end of a call.", needs, sends),
  must("TW-EVENT-005", "5", "A call that was cancelled stops sending.", needs, ["TW-EVENT-004"]),
  should(
    "TW-EVENT-006",
    "4",
    "A call that has shown something has an answer, too: a model sees no updates.",
    needs,
    sends,
  ),
  must("TW-EVENT-007", "5", "Calls side by side send what is their own.", needs, ["TW-EVENT-004"]),
  should("TW-EVENT-008", "4", "A tool that sends updates says so (streamingHint).", needs, sends),
  should(
    "TW-EVENT-009",
    "4",
    "A call sends no more than 1,000 updates and reports of progress.",
    needs,
    sends,
  ),
  should("TW-EVENT-010", "4", "Progress goes forward, and not beyond its total.", needs, [
    "TW-EVENT-003",
  ]),
  should("TW-EVENT-011", "4", "A message of progress is at most 1,000 bytes.", needs, sends),
];
