import { must, should, type Requirement } from "./requirement.ts";

const needs = ["succeedingCalls"] as const;

/** Rules about results. */
export const resultRequirements: readonly Requirement[] = [
  must(
    "TW-RESULT-001",
    "4",
    "Content blocks have a known type and the members of that type.",
    needs,
  ),
  should("TW-RESULT-002", "4", "A tool returns plain JSON data.", needs),
  must("TW-RESULT-003", "5", "The value of a result matches the output schema of the tool.", needs),
  must("TW-RESULT-004", "5", "A tool with an output schema returns a value.", needs),
  must(
    "TW-RESULT-005",
    "4",
    "An image or audio block contains base64 data and a media type.",
    needs,
  ),
  must("TW-RESULT-006", "4", "A resource contains either a text or a base64 blob.", needs),
  must("TW-RESULT-007", "4", "The uri of a link or a resource is an absolute URI.", needs),
  should(
    "TW-RESULT-008",
    "4",
    "The fields details and provider, which only the host receives, are plain JSON data.",
    needs,
  ),
  should("TW-RESULT-009", "4", "Bytes are not returned as text.", needs),
  must("TW-RESULT-010", "11", "An artifact that a result names can be read.", needs),
  must("TW-RESULT-011", "4", "The annotations of blocks are valid MCP annotations.", needs),
  should("TW-RESULT-012", "4", "Texts contain no lone surrogates.", needs),
  should("TW-RESULT-013", "4", "The media type matches the bytes.", needs),
  should("TW-RESULT-014", "4", "JSON is not encoded twice.", needs),
  should(
    "TW-RESULT-015",
    "4",
    "A result with a value also has content, which is what a model reads.",
    needs,
  ),
  should("TW-RESULT-016", "4", "A result has at most 200 blocks.", needs),
  must("TW-RESULT-017", "4", "A result does not change when further calls are made.", needs),
  should(
    "TW-RESULT-018",
    "11",
    "The name of an artifact is a file name without a path or control characters.",
    needs,
  ),
];

/** Rules about errors. */
export const errorRequirements: readonly Requirement[] = [
  must("TW-ERROR-001", "6", "A call that should fail returns an error that a model can read.", [
    "failingCalls",
  ]),
  must("TW-ERROR-002", "6", "An error message contains no stack trace.", ["failingCalls"]),
  must("TW-ERROR-003", "6", "The code of an error is a known error code.", ["failingCalls"]),
  must("TW-ERROR-004", "6", "An error message contains no path of a file of the host.", [
    "failingCalls",
  ]),
  must("TW-ERROR-005", "6", "A call that fails repeatedly fails with the same code each time.", [
    "failingCalls",
  ]),
  must(
    "TW-ERROR-006",
    "6",
    "After a failed call, calls that should succeed still succeed.",
    ["failingCalls", "succeedingCalls"],
    ["TW-CALL-002"],
  ),
  must(
    "TW-ERROR-007",
    "6",
    "A call that should fail does not fail because of a programming error in the tool.",
    ["failingCalls"],
  ),
  should(
    "TW-ERROR-008",
    "6",
    "An upstream error contains the status or the body of the response.",
    ["failingCalls"],
  ),
  must("TW-ERROR-009", "6", "An error is retryable only if the same call can succeed later.", [
    "failingCalls",
  ]),
  should("TW-ERROR-010", "6", "An error message contains no terminal control codes.", [
    "failingCalls",
  ]),
  should("TW-ERROR-011", "6", "An error message has at most 4,000 bytes.", ["failingCalls"]),
  should("TW-ERROR-012", "6", "An error message is not an HTML page.", ["failingCalls"]),
  should("TW-ERROR-013", "6", "A tool throws only instances of Error.", ["failingCalls"]),
  must("TW-ERROR-014", "6", "An error message contains no object formatted as [object Object].", [
    "failingCalls",
  ]),
  should("TW-ERROR-015", "6", "An error message says more than that something went wrong.", [
    "failingCalls",
  ]),
  must(
    "TW-ERROR-016",
    "6",
    "A call that was not cancelled, skipped or rejected does not fail as if it had been.",
    ["failingCalls"],
  ),
  must(
    "TW-ERROR-017",
    "6",
    "The causes of an error form no cycle, and there are at most 100 of them.",
    ["failingCalls"],
  ),
];

const eventNeeds = ["updatingCalls"] as const;
const sends = ["TW-EVENT-001"] as const;

/** Rules about updates and progress. */
export const eventRequirements: readonly Requirement[] = [
  must(
    "TW-EVENT-001",
    "4",
    "A call that reports progress completes, and sends an update or progress before it ends.",
    eventNeeds,
  ),
  must("TW-EVENT-002", "4", "An update is an output that a host can display.", eventNeeds, sends),
  must(
    "TW-EVENT-003",
    "4",
    "Progress consists of finite numbers that are not negative, and of texts.",
    eventNeeds,
    sends,
  ),
  must("TW-EVENT-004", "5", "A call sends nothing after it has ended.", eventNeeds, sends),
  must("TW-EVENT-005", "5", "A cancelled call stops sending.", eventNeeds, ["TW-EVENT-004"]),
  should(
    "TW-EVENT-006",
    "4",
    "A call that sends updates also returns a result: a model sees no updates.",
    eventNeeds,
    sends,
  ),
  must("TW-EVENT-007", "5", "Concurrent calls send only their own updates.", eventNeeds, [
    "TW-EVENT-004",
  ]),
  should(
    "TW-EVENT-008",
    "4",
    "A tool that sends updates declares it with streamingHint.",
    eventNeeds,
    sends,
  ),
  should(
    "TW-EVENT-009",
    "4",
    "A call sends at most 1,000 updates and progress reports.",
    eventNeeds,
    sends,
  ),
  should(
    "TW-EVENT-010",
    "4",
    "Progress never decreases, and never exceeds its total.",
    eventNeeds,
    ["TW-EVENT-003"],
  ),
  should("TW-EVENT-011", "4", "A progress message has at most 1,000 bytes.", eventNeeds, sends),
];

const largeNeeds = ["largeCalls"] as const;
const whole = ["TW-LARGE-001"] as const;

/** Rules about large and binary outputs. */
export const largeRequirements: readonly Requirement[] = [
  must(
    "TW-LARGE-001",
    "11",
    "A large output is complete: the part that the model does not receive is stored.",
    largeNeeds,
  ),
  must(
    "TW-LARGE-002",
    "11",
    "A large output is complete when the call is repeated.",
    largeNeeds,
    whole,
  ),
  must("TW-LARGE-003", "11", "Large outputs of concurrent calls are not mixed up.", largeNeeds, [
    "TW-LARGE-002",
  ]),
  must(
    "TW-LARGE-004",
    "5",
    "A stream ends when its call is cancelled while the stream is read.",
    largeNeeds,
    ["TW-LARGE-005"],
  ),
  must(
    "TW-LARGE-005",
    "5",
    "A stream ends when its reader stops reading, and yields nothing more.",
    largeNeeds,
    whole,
  ),
  should(
    "TW-LARGE-006",
    "11",
    "A stored artifact has the media type that it declares.",
    largeNeeds,
    whole,
  ),
  should(
    "TW-LARGE-007",
    "4",
    "A large output is not repeated in details and provider.",
    largeNeeds,
    whole,
  ),
  should(
    "TW-LARGE-008",
    "4",
    "Bytes are returned as bytes, not as base64 text.",
    largeNeeds,
    whole,
  ),
];
