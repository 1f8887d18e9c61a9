import { must, should, type Requirement } from "../requirement.ts";

/** What tools answer. */
export const resultRequirements: readonly Requirement[] = [
  must("TW-RESULT-001", "4", "Content blocks are well-formed.", ["succeedingCalls"]),
  should("TW-RESULT-002", "4", "What a tool returns is plain JSON data.", ["succeedingCalls"]),
];
