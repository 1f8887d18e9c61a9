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

/** Rules about cancellation. */
export const cancellationRequirements: readonly Requirement[] = [
  must(
    "TW-CANCEL-001",
    "5",
    "A call that is cancelled before it starts has no effect.",
    ["effectCalls"],
    ["TW-PERM-008"],
  ),
  must("TW-CANCEL-002", "5", "A running call that is cancelled ends, and its tool stops working.", [
    "slowCalls",
  ]),
  must("TW-CANCEL-003", "5", "A tool whose signal is already aborted stops.", ["slowCalls"]),
  must(
    "TW-CANCEL-004",
    "5",
    "A call that is cancelled before it completes has no effect.",
    ["slowCalls"],
    ["TW-CANCEL-002"],
  ),
  must(
    "TW-CANCEL-005",
    "5",
    "Cancelled calls leave no timers or child processes behind.",
    ["slowCalls"],
    ["TW-CANCEL-002"],
  ),
  must(
    "TW-CANCEL-006",
    "5",
    "After a call was cancelled, it and all other calls can be made again.",
    ["slowCalls", "succeedingCalls"],
    ["TW-CALL-002", "TW-CANCEL-002"],
  ),
  must(
    "TW-CANCEL-007",
    "5",
    "Cancelling one call does not end another call.",
    ["slowCalls"],
    ["TW-CANCEL-002"],
  ),
  must(
    "TW-CANCEL-008",
    "5",
    "A cancelled call causes no unhandled rejection and no uncaught exception.",
    ["slowCalls"],
  ),
];

/** Rules about calls that run at the same time. */
export const concurrencyRequirements: readonly Requirement[] = [
  must(
    "TW-CONC-001",
    "5",
    "Calls that succeed one after the other also succeed concurrently.",
    ["succeedingCalls"],
    ["TW-CALL-007"],
  ),
  must(
    "TW-CONC-002",
    "5",
    "Apart from times and ids, a call of a read-only tool returns the same result each time, in any order and concurrently, and any other call the same result concurrently as alone, if that does not vary.",
    ["succeedingCalls"],
    ["TW-CONC-001"],
  ),
  must(
    "TW-CONC-003",
    "5",
    "Calls with the same id in two runs are not confused with each other.",
    ["succeedingCalls"],
    ["TW-CONC-002"],
  ),
  must("TW-CONC-004", "5", "Concurrent calls with effects each have their effect.", [
    "effectCalls",
  ]),
  must(
    "TW-CONC-005",
    "5",
    "A failing call does not affect calls that run at the same time.",
    ["failingCalls", "succeedingCalls"],
    ["TW-CONC-001", "TW-ERROR-006"],
  ),
  must(
    "TW-CONC-006",
    "9",
    "Calls of two instances do not affect each other.",
    ["succeedingCalls"],
    ["TW-CONC-002"],
  ),
  should(
    "TW-CONC-007",
    "5",
    "A slow call does not delay the others.",
    ["slowCalls", "succeedingCalls"],
    ["TW-CONC-001"],
  ),
  must(
    "TW-CONC-008",
    "5",
    "Calls with the same id in two runs each have their effect.",
    ["effectCalls"],
    ["TW-CANCEL-001", "TW-CONC-004"],
  ),
];

/** Rules about timeouts. */
export const timeoutRequirements: readonly Requirement[] = [
  must(
    "TW-TIMEOUT-001",
    "5",
    "A call that exceeds its timeout ends with timeout, and its tool stops.",
    ["slowCalls"],
    ["TW-CANCEL-002"],
  ),
  must(
    "TW-TIMEOUT-002",
    "5",
    "A call that exceeds its timeout has no effect afterwards.",
    ["slowCalls"],
    ["TW-CANCEL-004", "TW-TIMEOUT-001"],
  ),
  must(
    "TW-TIMEOUT-003",
    "5",
    "After a timeout, calls still succeed.",
    ["slowCalls", "succeedingCalls"],
    ["TW-CANCEL-006", "TW-TIMEOUT-001"],
  ),
  should(
    "TW-TIMEOUT-004",
    "5",
    "A spec has a timeout of at most ten minutes, the default maximum of executors.",
  ),
];

/** Rules about secrets. */
export const secretRequirements: readonly Requirement[] = [
  must("TW-SECRET-001", "10", "A spec and a fingerprint contain no secret.", ["secrets"]),
  must("TW-SECRET-002", "10", "The id and the problems of a source contain no secret.", [
    "source",
    "secrets",
  ]),
  must("TW-SECRET-003", "10", "A result and the stored artifacts contain no secret.", [
    "secrets",
    "succeedingCalls",
  ]),
  must("TW-SECRET-004", "6", "An error message contains no secret.", ["secrets", "failingCalls"]),
  must("TW-SECRET-005", "10", "Updates and progress contain no secret.", [
    "secrets",
    "updatingCalls",
  ]),
  must("TW-SECRET-006", "10", "A request to a person contains no secret.", ["secrets"]),
  must(
    "TW-SECRET-007",
    "6",
    "Errors and problems during an outage contain no secret.",
    ["source", "secrets", "outage", "succeedingCalls"],
    ["TW-SECRET-002"],
  ),
  must(
    "TW-SECRET-008",
    "6",
    "The error of a failed call contains no secret when it is logged.",
    ["secrets", "failingCalls"],
    ["TW-SECRET-004"],
  ),
  must("TW-SECRET-009", "10", "A call prints no secret.", ["secrets", "succeedingCalls"]),
];

/** Rules about side effects. */
export const purityRequirements: readonly Requirement[] = [
  must(
    "TW-PURE-001",
    "4",
    "A read-only tool changes nothing, whether it succeeds or fails.",
    ["state", "succeedingCalls"],
    ["TW-PURE-004", "TW-PERM-014"],
  ),
  must(
    "TW-PURE-002",
    "4",
    "An idempotent tool changes nothing more when it is called again.",
    ["state", "succeedingCalls"],
    ["TW-PURE-004", "TW-PERM-014"],
  ),
  must("TW-PURE-003", "4", "Validating arguments changes nothing.", ["state"]),
  must("TW-PURE-004", "1", "Listing tools and reading their specs changes nothing.", ["state"]),
  must(
    "TW-PURE-005",
    "5",
    "A call has its effect exactly once.",
    ["effectCalls"],
    ["TW-CANCEL-001"],
  ),
];
