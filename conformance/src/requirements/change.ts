import { must, should, type Requirement } from "./requirement.ts";

const announced = ["TW-CHANGE-001"] as const;

/** How a source tells that its tools have changed. */
export const changeRequirements: readonly Requirement[] = [
  must(
    "TW-CHANGE-001",
    "9",
    "A change of the tools is announced.",
    ["source", "change"],
    ["TW-LIFE-019"],
  ),
  must(
    "TW-CHANGE-002",
    "9",
    "After a change the list is another one, and the old one is as it was.",
    ["source", "change"],
    announced,
  ),
  must(
    "TW-CHANGE-003",
    "9",
    "Whoever hears of a change finds the new list.",
    ["source", "change"],
    ["TW-CHANGE-002"],
  ),
  must(
    "TW-CHANGE-004",
    "9",
    "A listener that was taken back hears nothing, and the others still do.",
    ["source", "change"],
    announced,
  ),
  must(
    "TW-CHANGE-005",
    "9",
    "A listener that throws keeps none of the others from hearing, and does no other harm.",
    ["source", "change"],
    announced,
  ),
  should(
    "TW-CHANGE-006",
    "9",
    "A tool that has not changed keeps its fingerprint.",
    ["source", "change"],
    announced,
  ),
  must(
    "TW-CHANGE-007",
    "9",
    "A tool that stays is never gone while the list changes.",
    ["source", "change"],
    ["TW-CHANGE-003"],
  ),
  must(
    "TW-CHANGE-008",
    "9",
    "A source that was closed announces nothing.",
    ["source", "change"],
    [...announced, "TW-LIFE-003"],
  ),
  must(
    "TW-CHANGE-009",
    "9",
    "A tool that is described otherwise has another fingerprint, if it has one.",
    ["source", "change"],
    announced,
  ),
  must(
    "TW-CHANGE-010",
    "9",
    "A call that runs goes on when the list changes.",
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
    "The tools that stay work after a change.",
    ["source", "change", "succeedingCalls"],
    [...announced, "TW-CALL-002"],
  ),
  must(
    "TW-CHANGE-013",
    "8",
    "After a change, too, names are canonical and unique, and specs plain data.",
    ["source", "change"],
    [...announced, "TW-NAME-001", "TW-NAME-002", "TW-SPEC-001", "TW-SPEC-002"],
  ),
  should(
    "TW-CHANGE-014",
    "9",
    "Nothing is announced while the tools stay what they are.",
    ["source"],
    ["TW-LIFE-019"],
  ),
  should(
    "TW-CHANGE-015",
    "9",
    "A change is announced once: each announcement finds another list than the one before.",
    ["source", "change"],
    ["TW-CHANGE-003", "TW-CHANGE-005"],
  ),
];
