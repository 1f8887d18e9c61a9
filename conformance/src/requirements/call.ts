import { must, should, type Requirement } from "./requirement.ts";

const succeeding = ["succeedingCalls"] as const;
const generated = ["generatedCalls"] as const;

/** Rules about arguments and calls. */
export const callRequirements: readonly Requirement[] = [
  must(
    "TW-CALL-001",
    "5",
    "Arguments that violate the input schema fail with invalid_arguments, and the tool is not invoked.",
  ),
  must("TW-CALL-002", "5", "A call that should succeed succeeds.", succeeding),
  must(
    "TW-CALL-003",
    "4",
    "For arguments that the schema accepts, validate returns nothing, or a list of problems with a JSON pointer and a message each.",
  ),
  must("TW-CALL-004", "4", "validate returns the same result for the same arguments."),
  must("TW-CALL-005", "4", "validate does not change the arguments."),
  must(
    "TW-CALL-006",
    "4",
    "The order of the members in the arguments does not affect a call.",
    succeeding,
    ["TW-CALL-007"],
  ),
  must("TW-CALL-007", "5", "A call that succeeds also succeeds when it is repeated.", succeeding, [
    "TW-CALL-002",
  ]),
  should("TW-CALL-008", "4", "A call succeeds for every caller and in every session.", succeeding, [
    "TW-CALL-007",
  ]),
  must(
    "TW-CALL-009",
    "5",
    "Ordinary arguments that the schema accepts cause no programming error.",
    generated,
  ),
  must(
    "TW-CALL-010",
    "5",
    "Arguments at the boundaries of the schema cause no programming error.",
    generated,
  ),
  must(
    "TW-CALL-011",
    "5",
    "For arguments that the schema accepts, the result matches the output schema.",
    generated,
    ["TW-RESULT-003", "TW-RESULT-004"],
  ),
  must(
    "TW-CALL-012",
    "4",
    "For arguments that the schema accepts, the content blocks are well-formed.",
    generated,
    ["TW-RESULT-001", "TW-RESULT-005", "TW-RESULT-006", "TW-RESULT-007"],
  ),
  must(
    "TW-CALL-013",
    "4",
    "Optional arguments can be omitted: a call without them causes no programming error.",
    generated,
  ),
  must(
    "TW-CALL-014",
    "4",
    "An argument that the schema allows but does not name causes no programming error.",
    generated,
  ),
  should(
    "TW-CALL-015",
    "4",
    "For arguments that the schema accepts, the result is plain JSON data.",
    generated,
    ["TW-RESULT-002"],
  ),
  must(
    "TW-CALL-016",
    "5",
    "A call uses the injected values of its own run, never those of another run.",
    succeeding,
    ["TW-CALL-007"],
  ),
  should(
    "TW-CALL-017",
    "4",
    "A tool declares the injected values that it reads, and reads those that it requires.",
    succeeding,
  ),
  must(
    "TW-CALL-018",
    "5",
    "Completed calls leave no timers, child processes or process listeners behind.",
    succeeding,
    ["TW-CALL-007", "TW-LIFE-008"],
  ),
  must(
    "TW-CALL-019",
    "5",
    "A call causes no unhandled rejection and no uncaught exception.",
    succeeding,
  ),
  should("TW-CALL-020", "5", "A call writes nothing to standard output.", succeeding),
  should(
    "TW-CALL-021",
    "5",
    "A call changes neither the working directory nor the environment of the process.",
    succeeding,
  ),
  must("TW-CALL-022", "4", "A call does not modify the values that the host injects.", succeeding, [
    "TW-CALL-002",
  ]),
  should(
    "TW-CALL-023",
    "5",
    "A result that depends on the caller is not returned to another caller.",
    succeeding,
    ["TW-CALL-007"],
  ),
  must(
    "TW-CALL-024",
    "4",
    "An argument named __proto__ or constructor does not change a prototype.",
    generated,
    ["TW-CALL-014"],
  ),
];
