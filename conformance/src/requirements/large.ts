import { must, should, type Requirement } from "./requirement.ts";

const needs = ["largeCalls"] as const;
const whole = ["TW-LARGE-001"] as const;

/** What becomes of large and binary outputs. */
export const largeRequirements: readonly Requirement[] = [
  must(
    "TW-LARGE-001",
    "11",
    "A large output is whole: what a model is not shown is stored, and nothing of it is missing.",
    needs,
  ),
  must("TW-LARGE-002", "11", "A large output is whole when it is asked for again.", needs, whole),
  must("TW-LARGE-003", "11", "Large outputs that are made at the same time do not mix.", needs, [
    "TW-LARGE-002",
  ]),
  must(
    "TW-LARGE-004",
    "5",
    "A stream ends when its call is cancelled while somebody waits for more of it.",
    needs,
    ["TW-LARGE-005"],
  ),
  must(
    "TW-LARGE-005",
    "5",
    "A stream ends when no more of it is wanted, and gives nothing more.",
    needs,
    whole,
  ),
  should(
    "TW-LARGE-006",
    "11",
    "What is stored is of the media type that it is said to be.",
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
  should(
    "TW-LARGE-008",
    "4",
    "Bytes are returned as bytes and not as a text in base64.",
    needs,
    whole,
  ),
];
