import { must, should, type Requirement } from "./requirement.ts";

/** Rules about the lifecycle of a source. */
export const lifecycleRequirements: readonly Requirement[] = [
  must("TW-LIFE-001", "9", "The source that create() returns becomes ready and has tools."),
  must("TW-LIFE-002", "9", "ready can be awaited repeatedly, without effect.", ["source"]),
  must("TW-LIFE-003", "2", "close is idempotent.", ["source"]),
  must(
    "TW-LIFE-004",
    "9",
    "An array that tools() has returned does not change when the source becomes ready or is closed.",
    ["source"],
    ["TW-LIFE-006"],
  ),
  must("TW-LIFE-005", "9", "A source has an id that is not blank and never changes.", ["source"]),
  must(
    "TW-LIFE-006",
    "9",
    "tools() returns an array at any time, also before ready and after close.",
    ["source"],
  ),
  must("TW-LIFE-007", "9", "A source can be closed while it loads, and ready settles then.", [
    "source",
  ]),
  must(
    "TW-LIFE-008",
    "9",
    "After close, no child process and no resource that keeps the process alive is left.",
    ["source"],
    ["TW-LIFE-003"],
  ),
  must(
    "TW-LIFE-009",
    "9",
    "After close, no listener of process is left.",
    ["source"],
    ["TW-LIFE-003"],
  ),
  must(
    "TW-LIFE-010",
    "9",
    "Closing a source while it loads causes no unhandled error.",
    ["source"],
    ["TW-LIFE-007"],
  ),
  must(
    "TW-LIFE-011",
    "9",
    "A call of a tool whose source is closed ends.",
    ["source", "succeedingCalls"],
    ["TW-CALL-002"],
  ),
  should(
    "TW-LIFE-012",
    "9",
    "A source can be closed while a call runs, and the call ends then.",
    ["source", "slowCalls"],
    ["TW-LIFE-003", "TW-CANCEL-002"],
  ),
  must(
    "TW-LIFE-013",
    "9",
    "problems is a list of plain data; each entry names its subject and says what is wrong.",
    ["source"],
  ),
  must(
    "TW-LIFE-014",
    "9",
    "Two sources are independent: one still works after the other was closed.",
    ["source", "succeedingCalls"],
    ["TW-CALL-002"],
  ),
  must("TW-LIFE-015", "9", "secrets, if present, is a SecretSet, and always the same object.", [
    "source",
  ]),
  must("TW-LIFE-016", "7", "trustAnnotations, if present, is a boolean and never changes.", [
    "source",
  ]),
  must(
    "TW-LIFE-017",
    "9",
    "Disposing of a source releases everything that close releases.",
    ["source"],
    ["TW-LIFE-008", "TW-LIFE-009"],
  ),
  must(
    "TW-LIFE-018",
    "4",
    "The members of a tool have the right types: invoke, validate and preflight are functions, a fingerprint is a string.",
  ),
  must(
    "TW-LIFE-019",
    "9",
    "onChange returns a function that removes the listener and may be called twice.",
    ["source"],
  ),
  should("TW-LIFE-020", "9", "A source has the same id each time it is created.", ["source"]),
  must(
    "TW-LIFE-021",
    "9",
    "If a listener throws, the source still becomes ready.",
    ["source"],
    ["TW-LIFE-019"],
  ),
  must(
    "TW-LIFE-022",
    "9",
    "A tool with an unusable input schema is listed or named in problems, and the other tools stay usable.",
    ["source", "succeedingCalls"],
    ["TW-CALL-002", "TW-LIFE-013"],
  ),
];
