import { must, should, type Requirement } from "../requirement.ts";

/** How a source begins, lives and ends. */
export const lifecycleRequirements: readonly Requirement[] = [
  must("TW-LIFE-001", "9", "What create gives becomes ready and has tools."),
  must("TW-LIFE-002", "9", "ready can be awaited again, and changes nothing.", ["source"]),
  must("TW-LIFE-003", "2", "close is idempotent.", ["source"]),
  must(
    "TW-LIFE-004",
    "9",
    "A list of tools that was given out stays as it is when the source gets ready, and when it is closed.",
    ["source"],
    ["TW-LIFE-006"],
  ),
  must("TW-LIFE-005", "9", "A source has an id that says something, and keeps it.", ["source"]),
  must("TW-LIFE-006", "9", "tools() gives a list at any time: before ready, and after close.", [
    "source",
  ]),
  must("TW-LIFE-007", "9", "A source that is closed while it opens closes, and ready settles.", [
    "source",
  ]),
  must(
    "TW-LIFE-008",
    "9",
    "After close nothing is left that keeps a process alive, and no child process.",
    ["source"],
    ["TW-LIFE-003"],
  ),
  must(
    "TW-LIFE-009",
    "9",
    "After close nothing listens to process any more.",
    ["source"],
    ["TW-LIFE-003"],
  ),
  must(
    "TW-LIFE-010",
    "9",
    "A source that is closed while it opens lets no error escape.",
    ["source"],
    ["TW-LIFE-007"],
  ),
  must(
    "TW-LIFE-011",
    "9",
    "A call of a closed source's tool comes to an end.",
    ["source", "succeedingCalls"],
    ["TW-CALL-002"],
  ),
  should(
    "TW-LIFE-012",
    "9",
    "A source that is closed while a call runs closes, and the call comes to an end.",
    ["source", "slowCalls"],
    ["TW-LIFE-003", "TW-CANCEL-002"],
  ),
  must("TW-LIFE-013", "9", "problems say what is wrong with what, as plain data.", ["source"]),
  must(
    "TW-LIFE-014",
    "9",
    "Two sources that live side by side do not depend on each other: one goes on when the other is closed.",
    ["source", "succeedingCalls"],
    ["TW-CALL-002"],
  ),
  must(
    "TW-LIFE-015",
    "9",
    "secrets, where there is one, is a SecretSet, and the same one from beginning to end.",
    ["source"],
  ),
  must(
    "TW-LIFE-016",
    "7",
    "trustAnnotations, where there is one, is true or false, and stays what it is.",
    ["source"],
  ),
  must(
    "TW-LIFE-017",
    "9",
    "A source that is disposed of lets go of everything, as one that is closed does.",
    ["source"],
    ["TW-LIFE-008", "TW-LIFE-009"],
  ),
  must(
    "TW-LIFE-018",
    "4",
    "The parts of a tool are of the right types: invoke, validate and preflight are functions, a fingerprint is a text.",
  ),
  must("TW-LIFE-019", "9", "onChange gives a function, which may be called twice.", ["source"]),
  should("TW-LIFE-020", "9", "A source that is made again has the same id.", ["source"]),
  must(
    "TW-LIFE-021",
    "9",
    "A listener that throws keeps no source from getting ready.",
    ["source"],
    ["TW-LIFE-019"],
  ),
];
