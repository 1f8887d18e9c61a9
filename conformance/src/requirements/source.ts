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

/** Rules about a source whose backend is unavailable. */
export const outageRequirements: readonly Requirement[] = [
  must(
    "TW-OUTAGE-001",
    "6",
    "A call whose backend is unavailable ends with an error message.",
    ["source", "outage", "succeedingCalls"],
    ["TW-CALL-002"],
  ),
  must(
    "TW-OUTAGE-002",
    "9",
    "tools() returns a list while the backend is unavailable, and a changed list is announced.",
    ["source", "outage"],
    ["TW-LIFE-019"],
  ),
  must(
    "TW-OUTAGE-003",
    "9",
    "Calls succeed again when the backend is available again, also after a second outage.",
    ["source", "outage", "succeedingCalls"],
    ["TW-CALL-002"],
  ),
  must(
    "TW-OUTAGE-004",
    "9",
    "A call that runs when the backend becomes unavailable ends.",
    ["source", "outage", "slowCalls"],
    ["TW-CANCEL-002"],
  ),
  must("TW-OUTAGE-005", "9", "A source can be closed while its backend is unavailable.", [
    "source",
    "outage",
  ]),
  must(
    "TW-OUTAGE-006",
    "9",
    "If a source is created while its backend is unavailable, ready resolves or rejects with a ToolError.",
    ["source", "outage"],
  ),
  must(
    "TW-OUTAGE-007",
    "9",
    "A source that was created while its backend is unavailable can be closed, and leaves nothing open.",
    ["source", "outage"],
    ["TW-LIFE-008", "TW-LIFE-009", "TW-OUTAGE-005", "TW-OUTAGE-006"],
  ),
  must(
    "TW-OUTAGE-008",
    "9",
    "If ready rejects and is not awaited, there is no unhandled rejection.",
    ["source", "outage"],
    ["TW-OUTAGE-006"],
  ),
  must("TW-OUTAGE-009", "9", "An outage causes no unhandled error.", ["source", "outage"]),
  should(
    "TW-OUTAGE-010",
    "6",
    "A call whose backend is unavailable fails with a fitting code, such as unavailable.",
    ["source", "outage", "succeedingCalls"],
    ["TW-OUTAGE-001"],
  ),
  should(
    "TW-OUTAGE-011",
    "9",
    "The tools stay listed while the backend is unavailable.",
    ["source", "outage"],
    ["TW-OUTAGE-002"],
  ),
  must(
    "TW-OUTAGE-012",
    "6",
    "A call that failed because of an outage does not have its effect later.",
    ["source", "outage", "effectCalls"],
    ["TW-CANCEL-001"],
  ),
  must(
    "TW-OUTAGE-013",
    "9",
    "A source that is closed after it lost its backend leaves nothing open.",
    ["source", "outage"],
    ["TW-LIFE-008", "TW-LIFE-009", "TW-OUTAGE-005"],
  ),
  should(
    "TW-OUTAGE-014",
    "9",
    "After an outage, no tool stays unavailable, and no problem of the outage stays listed.",
    ["source", "outage", "succeedingCalls"],
    ["TW-LIFE-013", "TW-LIFE-018", "TW-OUTAGE-003"],
  ),
  must(
    "TW-OUTAGE-015",
    "6",
    "A call that was accepted and whose response is lost is not retried, unless its tool is idempotent.",
    ["source", "outage", "effectCalls"],
    ["TW-PURE-005"],
  ),
  should(
    "TW-OUTAGE-016",
    "6",
    "A call that was accepted and whose response is lost fails with an error that says that it may have run.",
    ["source", "outage", "effectCalls"],
    ["TW-OUTAGE-015"],
  ),
];

/** Rules about the manifest. */
export const manifestRequirements: readonly Requirement[] = [
  must(
    "TW-MANIFEST-001",
    "1",
    "The manifest declares everything that rules need, or gives the reason why it does not.",
  ),
];

/** Rules about views of a source, and about calls that other tools make. */
export const viewRequirements: readonly Requirement[] = [
  must(
    "TW-VIEW-001",
    "9",
    "Rules that hold for the tools also hold for a prefixed and filtered view of them.",
  ),
  must(
    "TW-VIEW-002",
    "5",
    "A tool works the same when another tool calls it.",
    ["succeedingCalls"],
    ["TW-CALL-007"],
  ),
  must(
    "TW-VIEW-003",
    "9",
    "A tool works the same under another name and when other tools are hidden.",
    ["succeedingCalls"],
    ["TW-CALL-007", "TW-VIEW-001"],
  ),
];
