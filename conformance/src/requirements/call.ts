import { must, type Requirement } from "../requirement.ts";

/** What a tool makes of its arguments. */
export const callRequirements: readonly Requirement[] = [
  must(
    "TW-CALL-001",
    "5",
    "Arguments that break the input schema are answered with invalid_arguments, and the tool is not invoked.",
  ),
  must("TW-CALL-002", "5", "A call that should succeed succeeds.", ["succeedingCalls"]),
];
