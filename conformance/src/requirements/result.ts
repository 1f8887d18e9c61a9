import { must, should, withNeeds, type Requirement } from "./requirement.ts";

/** Rules about results. */
export const resultRequirements: readonly Requirement[] = withNeeds(
  ["succeedingCalls"],
  [
    must("TW-RESULT-001", "4", "Content blocks have a known type and the members of that type."),
    should("TW-RESULT-002", "4", "A tool returns plain JSON data."),
    must("TW-RESULT-003", "5", "The value of a result matches the output schema of the tool."),
    must("TW-RESULT-004", "5", "A tool with an output schema returns a value."),
    must("TW-RESULT-005", "4", "An image or audio block contains base64 data and a media type."),
    must("TW-RESULT-006", "4", "A resource contains either a text or a base64 blob."),
    must("TW-RESULT-007", "4", "The uri of a link or a resource is an absolute URI."),
    should(
      "TW-RESULT-008",
      "4",
      "The fields details and provider, which only the host receives, are plain JSON data.",
    ),
    should("TW-RESULT-009", "4", "Bytes are not returned as text."),
    must("TW-RESULT-010", "11", "An artifact that a result names can be read."),
    must("TW-RESULT-011", "4", "The annotations of blocks are valid MCP annotations."),
    should("TW-RESULT-012", "4", "Texts contain no lone surrogates."),
    should("TW-RESULT-013", "4", "The media type matches the bytes."),
    should("TW-RESULT-014", "4", "JSON is not encoded twice."),
    should(
      "TW-RESULT-015",
      "4",
      "A result with a value also has content, which is what a model reads.",
    ),
    should("TW-RESULT-016", "4", "A result has at most 200 blocks."),
    must("TW-RESULT-017", "4", "A result does not change when further calls are made."),
    should(
      "TW-RESULT-018",
      "11",
      "The name of an artifact is a file name without a path or control characters.",
    ),
  ],
);

/** Rules about errors. */
export const errorRequirements: readonly Requirement[] = withNeeds(
  ["failingCalls"],
  [
    must("TW-ERROR-001", "6", "A call that should fail returns an error that a model can read."),
    must("TW-ERROR-002", "6", "An error message contains no stack trace."),
    must("TW-ERROR-003", "6", "The code of an error is a known error code."),
    must("TW-ERROR-004", "6", "An error message contains no path of a file of the host."),
    must("TW-ERROR-005", "6", "A call that fails repeatedly fails with the same code each time."),
    must(
      "TW-ERROR-006",
      "6",
      "After a failed call, calls that should succeed still succeed.",
      ["succeedingCalls"],
      ["TW-CALL-002"],
    ),
    must(
      "TW-ERROR-007",
      "6",
      "A call that should fail does not fail because of a programming error in the tool.",
    ),
    should(
      "TW-ERROR-008",
      "6",
      "An upstream error contains the status or the body of the response.",
    ),
    must("TW-ERROR-009", "6", "An error is retryable only if the same call can succeed later."),
    should("TW-ERROR-010", "6", "An error message contains no terminal control codes."),
    should("TW-ERROR-011", "6", "An error message has at most 4,000 bytes."),
    should("TW-ERROR-012", "6", "An error message is not an HTML page."),
    should("TW-ERROR-013", "6", "A tool throws only instances of Error."),
    must("TW-ERROR-014", "6", "An error message contains no object formatted as [object Object]."),
    should("TW-ERROR-015", "6", "An error message says more than that something went wrong."),
    must(
      "TW-ERROR-016",
      "6",
      "A call that was not cancelled, skipped or rejected does not fail as if it had been.",
    ),
    must(
      "TW-ERROR-017",
      "6",
      "The causes of an error form no cycle, and there are at most 100 of them.",
    ),
  ],
);

const sends = ["TW-EVENT-001"] as const;

/** Rules about updates and progress. */
export const eventRequirements: readonly Requirement[] = withNeeds(
  ["updatingCalls"],
  [
    must(
      "TW-EVENT-001",
      "4",
      "A call that reports progress completes, and sends an update or progress before it ends.",
    ),
    must("TW-EVENT-002", "4", "An update is an output that a host can display.", [], sends),
    must(
      "TW-EVENT-003",
      "4",
      "Progress consists of finite numbers that are not negative, and of texts.",
      [],
      sends,
    ),
    must("TW-EVENT-004", "5", "A call sends nothing after it has ended.", [], sends),
    must("TW-EVENT-005", "5", "A cancelled call stops sending.", [], ["TW-EVENT-004"]),
    should(
      "TW-EVENT-006",
      "4",
      "A call that sends updates also returns a result: a model sees no updates.",
      [],
      sends,
    ),
    must(
      "TW-EVENT-007",
      "5",
      "Concurrent calls send only their own updates.",
      [],
      ["TW-EVENT-004"],
    ),
    should(
      "TW-EVENT-008",
      "4",
      "A tool that sends updates declares it with streamingHint.",
      [],
      sends,
    ),
    should(
      "TW-EVENT-009",
      "4",
      "A call sends at most 1,000 updates and progress reports.",
      [],
      sends,
    ),
    should(
      "TW-EVENT-010",
      "4",
      "Progress never decreases, and never exceeds its total.",
      [],
      ["TW-EVENT-003"],
    ),
    should("TW-EVENT-011", "4", "A progress message has at most 1,000 bytes.", [], sends),
  ],
);

const whole = ["TW-LARGE-001"] as const;

/** Rules about large and binary outputs. */
export const largeRequirements: readonly Requirement[] = withNeeds(
  ["largeCalls"],
  [
    must(
      "TW-LARGE-001",
      "11",
      "A large output is complete: the part that the model does not receive is stored.",
    ),
    must("TW-LARGE-002", "11", "A large output is complete when the call is repeated.", [], whole),
    must(
      "TW-LARGE-003",
      "11",
      "Large outputs of concurrent calls are not mixed up.",
      [],
      ["TW-LARGE-002"],
    ),
    must(
      "TW-LARGE-004",
      "5",
      "A stream ends when its call is cancelled while the stream is read.",
      [],
      ["TW-LARGE-005"],
    ),
    must(
      "TW-LARGE-005",
      "5",
      "A stream ends when its reader stops reading, and yields nothing more.",
      [],
      whole,
    ),
    should(
      "TW-LARGE-006",
      "11",
      "A stored artifact has the media type that it declares.",
      [],
      whole,
    ),
    should(
      "TW-LARGE-007",
      "4",
      "A large output is not repeated in details and provider.",
      [],
      whole,
    ),
    should("TW-LARGE-008", "4", "Bytes are returned as bytes, not as base64 text.", [], whole),
  ],
);
