import { must, should, type Requirement } from "./requirement.ts";

const succeeding = ["succeedingCalls"] as const;
const generated = ["generatedCalls"] as const;

/** What a tool makes of its arguments. */
export const callRequirements: readonly Requirement[] = [
  must(
    "TW-CALL-001",
    "5",
    "Arguments that break the input schema are answered with invalid_arguments, and the tool is not invoked.",
  ),
  must("TW-CALL-002", "5", "A call that should succeed succeeds.", succeeding),
  must(
    "TW-CALL-003",
    "4",
    "validate answers whatever the schema accepts: with nothing, or with a list of problems, each a JSON pointer and a message.",
  ),
  must("TW-CALL-004", "4", "validate says the same of the same arguments."),
  must("TW-CALL-005", "4", "validate does not change the arguments."),
  must(
    "TW-CALL-006",
    "4",
    "The order of the members in its arguments makes no difference to a call.",
    succeeding,
    ["TW-CALL-007"],
  ),
  must("TW-CALL-007", "5", "A call that succeeds succeeds when it is made again.", succeeding, [
    "TW-CALL-002",
  ]),
  should(
    "TW-CALL-008",
    "4",
    "A call succeeds whoever it is made for, in whatever session.",
    succeeding,
    ["TW-CALL-007"],
  ),
  must(
    "TW-CALL-009",
    "5",
    "Ordinary arguments that the schema accepts meet no programming error.",
    generated,
  ),
  must(
    "TW-CALL-010",
    "5",
    "Arguments at the edge of what the schema accepts meet no programming error.",
    generated,
  ),
  must(
    "TW-CALL-011",
    "5",
    "Whatever the schema accepts is answered with what fits the output schema.",
    generated,
    ["TW-RESULT-003", "TW-RESULT-004"],
  ),
  must(
    "TW-CALL-012",
    "4",
    "Whatever the schema accepts is answered with well-formed blocks.",
    generated,
    ["TW-RESULT-001", "TW-RESULT-005", "TW-RESULT-006", "TW-RESULT-007"],
  ),
  must(
    "TW-CALL-013",
    "4",
    "Arguments that need not be given can be left out: a call with none of them meets no programming error.",
    generated,
  ),
  must(
    "TW-CALL-014",
    "4",
    "An argument that the schema allows and does not name does no harm.",
    generated,
  ),
  should(
    "TW-CALL-015",
    "4",
    "Whatever the schema accepts is answered with plain JSON data.",
    generated,
    ["TW-RESULT-002"],
  ),
  must(
    "TW-CALL-016",
    "5",
    "What one run injects is not used for another: a call takes the injected values of its own run.",
    succeeding,
    ["TW-CALL-007"],
  ),
  should(
    "TW-CALL-017",
    "4",
    "A tool declares the injected values that it reads, and reads those that it needs.",
    succeeding,
  ),
  must(
    "TW-CALL-018",
    "5",
    "Calls that have ended leave no timers, child processes and listeners of process behind.",
    succeeding,
    ["TW-CALL-007", "TW-LIFE-008"],
  ),
  must("TW-CALL-019", "5", "A call lets no error escape that nobody can catch.", succeeding),
  should("TW-CALL-020", "5", "A call writes nothing to standard output.", succeeding),
  should(
    "TW-CALL-021",
    "5",
    "A call leaves the working directory and the environment of the process as they are.",
    succeeding,
  ),
  must(
    "TW-CALL-022",
    "4",
    "A call leaves the values that the host injects as they are.",
    succeeding,
    ["TW-CALL-002"],
  ),
  should(
    "TW-CALL-023",
    "5",
    "An answer that depends on who asks is not given to somebody else.",
    succeeding,
    ["TW-CALL-007"],
  ),
  must(
    "TW-CALL-024",
    "4",
    "An argument that is called __proto__ or constructor changes no prototype.",
    generated,
    ["TW-CALL-014"],
  ),
];
