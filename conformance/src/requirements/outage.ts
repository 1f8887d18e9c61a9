import { must, should, type Requirement } from "../requirement.ts";

/** What becomes of a source whose backend is away. */
export const outageRequirements: readonly Requirement[] = [
  must(
    "TW-OUTAGE-001",
    "6",
    "A call whose backend is away ends, and says in words that it failed.",
    ["source", "outage", "succeedingCalls"],
    ["TW-CALL-002"],
  ),
  must(
    "TW-OUTAGE-002",
    "9",
    "tools() gives a list while the backend is away, and a list that differs is announced.",
    ["source", "outage"],
    ["TW-LIFE-019"],
  ),
  must(
    "TW-OUTAGE-003",
    "9",
    "Calls succeed again once the backend is back, after the second outage as after the first.",
    ["source", "outage", "succeedingCalls"],
    ["TW-CALL-002"],
  ),
  must(
    "TW-OUTAGE-004",
    "9",
    "A call that runs when the backend goes away comes to an end.",
    ["source", "outage", "slowCalls"],
    ["TW-CANCEL-002"],
  ),
  must("TW-OUTAGE-005", "9", "A source can be closed while its backend is away.", [
    "source",
    "outage",
  ]),
  must(
    "TW-OUTAGE-006",
    "9",
    "A source that is made while its backend is away gets ready, or says with a ToolError why not.",
    ["source", "outage"],
  ),
  must(
    "TW-OUTAGE-007",
    "9",
    "A source that was made while its backend is away can be closed, and leaves nothing open.",
    ["source", "outage"],
    ["TW-LIFE-008", "TW-LIFE-009", "TW-OUTAGE-005", "TW-OUTAGE-006"],
  ),
  must(
    "TW-OUTAGE-008",
    "9",
    "A ready that rejects and that nobody awaits is no unhandled rejection.",
    ["source", "outage"],
    ["TW-OUTAGE-006"],
  ),
  must("TW-OUTAGE-009", "9", "An outage lets no error escape.", ["source", "outage"]),
  should(
    "TW-OUTAGE-010",
    "6",
    "A call whose backend is away fails with a code that says so, such as unavailable.",
    ["source", "outage", "succeedingCalls"],
    ["TW-OUTAGE-001"],
  ),
  should(
    "TW-OUTAGE-011",
    "9",
    "The tools stay listed while the backend is away.",
    ["source", "outage"],
    ["TW-OUTAGE-002"],
  ),
  must(
    "TW-OUTAGE-012",
    "6",
    "What a call could not do because the backend was away is not done later.",
    ["source", "outage", "effectCalls"],
    ["TW-CANCEL-001"],
  ),
  must(
    "TW-OUTAGE-013",
    "9",
    "A source that loses its backend and is closed leaves nothing open.",
    ["source", "outage"],
    ["TW-LIFE-008", "TW-LIFE-009", "TW-OUTAGE-005"],
  ),
  should(
    "TW-OUTAGE-014",
    "9",
    "Once the backend is back, the source says so: no tool stays unavailable, and no problem that came with the outage.",
    ["source", "outage", "succeedingCalls"],
    ["TW-LIFE-013", "TW-LIFE-018", "TW-OUTAGE-003"],
  ),
];
