import { must, should, type Requirement } from "./requirement.ts";

const announced = ["TW-CHANGE-001"] as const;

/** Rules about changes of the tool list. */
export const changeRequirements: readonly Requirement[] = [
  must(
    "TW-CHANGE-001",
    "9",
    "A change of the tools is announced to the listeners.",
    ["source", "change"],
    ["TW-LIFE-019"],
  ),
  must(
    "TW-CHANGE-002",
    "9",
    "After a change, tools() returns a new array, and the old array is unchanged.",
    ["source", "change"],
    announced,
  ),
  must(
    "TW-CHANGE-003",
    "9",
    "When a change is announced, tools() already returns the new list.",
    ["source", "change"],
    ["TW-CHANGE-002"],
  ),
  must(
    "TW-CHANGE-004",
    "9",
    "A removed listener is not called any more; the others still are.",
    ["source", "change"],
    announced,
  ),
  must(
    "TW-CHANGE-005",
    "9",
    "If a listener throws, the other listeners are still called, and the error does not escape.",
    ["source", "change"],
    announced,
  ),
  should(
    "TW-CHANGE-006",
    "9",
    "An unchanged tool keeps its fingerprint.",
    ["source", "change"],
    announced,
  ),
  must(
    "TW-CHANGE-007",
    "9",
    "A tool that is in the list before and after a change is in it throughout the change.",
    ["source", "change"],
    ["TW-CHANGE-003"],
  ),
  must(
    "TW-CHANGE-008",
    "9",
    "A closed source announces nothing.",
    ["source", "change"],
    [...announced, "TW-LIFE-003"],
  ),
  must(
    "TW-CHANGE-009",
    "9",
    "A tool whose description changes gets a new fingerprint, if it has one.",
    ["source", "change"],
    announced,
  ),
  must(
    "TW-CHANGE-010",
    "9",
    "A running call continues when the list changes.",
    ["source", "change", "slowCalls"],
    [...announced, "TW-CANCEL-002"],
  ),
  must(
    "TW-CHANGE-011",
    "9",
    "Every change is announced, not only the first.",
    ["source", "change"],
    ["TW-CHANGE-002"],
  ),
  must(
    "TW-CHANGE-012",
    "9",
    "Tools that remain in the list still work after a change.",
    ["source", "change", "succeedingCalls"],
    [...announced, "TW-CALL-002"],
  ),
  must(
    "TW-CHANGE-013",
    "8",
    "After a change, names are still canonical and unique, and specs are plain data.",
    ["source", "change"],
    [...announced, "TW-NAME-001", "TW-NAME-002", "TW-SPEC-001", "TW-SPEC-002"],
  ),
  should(
    "TW-CHANGE-014",
    "9",
    "Nothing is announced while the tools do not change.",
    ["source"],
    ["TW-LIFE-019"],
  ),
  should(
    "TW-CHANGE-015",
    "9",
    "A change is announced once: the list differs from one announcement to the next.",
    ["source", "change"],
    ["TW-CHANGE-003", "TW-CHANGE-005"],
  ),
];
