import { must, should, type Requirement } from "./requirement.ts";

/** Rules about names and their order. */
export const nameRequirements: readonly Requirement[] = [
  must("TW-NAME-001", "8", "Names are canonical."),
  must("TW-NAME-002", "8", "Names are unique."),
  must("TW-NAME-003", "9", "tools() returns the same array while nothing changes.", ["source"]),
  must("TW-NAME-004", "8", "The tools come in the same order each time."),
  should("TW-NAME-005", "9", "No name is reserved for a built-in tool of the executor."),
  should("TW-NAME-006", "8", "No two names differ only in case."),
];
