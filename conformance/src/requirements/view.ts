import { must, type Requirement } from "../requirement.ts";

/** What a host does to a source before it uses it. */
export const viewRequirements: readonly Requirement[] = [
  must(
    "TW-VIEW-001",
    "9",
    "What holds for the tools holds for a prefixed and filtered view of them.",
  ),
];
