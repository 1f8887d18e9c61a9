import { must, should, type Requirement } from "./requirement.ts";

/** Rules about what is the same each time. */
export const determinismRequirements: readonly Requirement[] = [
  must("TW-DET-001", "9", "A tool has the same spec each time it is created."),
  must("TW-DET-002", "4", "A spec has the same content each time it is read."),
  must("TW-DET-003", "9", "Calls do not change the specs of the tools.", ["succeedingCalls"]),
  must("TW-DET-004", "4", "A fingerprint is the same each time it is read."),
  should(
    "TW-DET-005",
    "9",
    "The model receives the same text for a tool each time, so that prompts can be cached.",
  ),
];
