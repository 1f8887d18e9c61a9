import { must, should, type Requirement } from "./requirement.ts";

const needs = ["updatingCalls"] as const;
const sends = ["TW-EVENT-001"] as const;

/** Rules about updates and progress. */
export const eventRequirements: readonly Requirement[] = [
  must(
    "TW-EVENT-001",
    "4",
    "A call that reports progress completes, and sends an update or progress before it ends.",
    needs,
  ),
  must("TW-EVENT-002", "4", "An update is an output that a host can display.", needs, sends),
  must(
    "TW-EVENT-003",
    "4",
    "Progress consists of finite numbers that are not negative, and of texts.",
    needs,
    sends,
  ),
  must("TW-EVENT-004", "5", "A call sends nothing after it has ended.", needs, sends),
  must("TW-EVENT-005", "5", "A cancelled call stops sending.", needs, ["TW-EVENT-004"]),
  should(
    "TW-EVENT-006",
    "4",
    "A call that sends updates also returns a result: a model sees no updates.",
    needs,
    sends,
  ),
  must("TW-EVENT-007", "5", "Concurrent calls send only their own updates.", needs, [
    "TW-EVENT-004",
  ]),
  should(
    "TW-EVENT-008",
    "4",
    "A tool that sends updates declares it with streamingHint.",
    needs,
    sends,
  ),
  should(
    "TW-EVENT-009",
    "4",
    "A call sends at most 1,000 updates and progress reports.",
    needs,
    sends,
  ),
  should("TW-EVENT-010", "4", "Progress never decreases, and never exceeds its total.", needs, [
    "TW-EVENT-003",
  ]),
  should("TW-EVENT-011", "4", "A progress message has at most 1,000 bytes.", needs, sends),
];
