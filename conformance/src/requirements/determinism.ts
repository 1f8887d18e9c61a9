import { must, should, type Requirement } from "./requirement.ts";

/** What stays the same from one time to the next. */
export const determinismRequirements: readonly Requirement[] = [
  must("TW-DET-001", "9", "A tool has the same spec each time it is made."),
  must("TW-DET-002", "4", "A spec that is read again says the same."),
  must("TW-DET-003", "9", "Calls leave the specs of the tools as they are.", ["succeedingCalls"]),
  must("TW-DET-004", "4", "A fingerprint that is read again is the same."),
  should(
    "TW-DET-005",
    "9",
    "What a model sees of a tool is the same text each time, so that prompts can be cached.",
  ),
];
