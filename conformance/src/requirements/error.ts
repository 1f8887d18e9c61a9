import { must, type Requirement } from "../requirement.ts";

/** What tools say when something went wrong. */
export const errorRequirements: readonly Requirement[] = [
  must(
    "TW-ERROR-001",
    "6",
    "A call that should fail is answered with an error that a model can read.",
    ["failingCalls"],
  ),
  must("TW-ERROR-002", "6", "What a failed call says holds no stack.", ["failingCalls"]),
];
