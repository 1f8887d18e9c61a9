import { must, should, type Requirement } from "./requirement.ts";

const needs = ["largeCalls"] as const;
const whole = ["TW-LARGE-001"] as const;

/** Rules about large and binary outputs. */
export const largeRequirements: readonly Requirement[] = [
  must(
    "TW-LARGE-001",
    "11",
    "A large output is complete: the part that the model does not receive is stored.",
    needs,
  ),
  must("TW-LARGE-002", "11", "A large output is complete when the call is repeated.", needs, whole),
  must("TW-LARGE-003", "11", "Large outputs of concurrent calls are not mixed up.", needs, [
    "TW-LARGE-002",
  ]),
  must(
    "TW-LARGE-004",
    "5",
    "A stream ends when its call is cancelled while the stream is read.",
    needs,
    ["TW-LARGE-005"],
  ),
  must(
    "TW-LARGE-005",
    "5",
    "A stream ends when its reader stops reading, and yields nothing more.",
    needs,
    whole,
  ),
  should(
    "TW-LARGE-006",
    "11",
    "A stored artifact has the media type that it declares.",
    needs,
    whole,
  ),
  should(
    "TW-LARGE-007",
    "4",
    "A large output is not repeated in details and provider.",
    needs,
    whole,
  ),
  should("TW-LARGE-008", "4", "Bytes are returned as bytes, not as base64 text.", needs, whole),
];
