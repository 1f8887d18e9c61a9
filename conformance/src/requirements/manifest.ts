import { must, type Requirement } from "./requirement.ts";

/** Rules about the manifest. */
export const manifestRequirements: readonly Requirement[] = [
  must(
    "TW-MANIFEST-001",
    "1",
    "The manifest declares everything that rules need, or gives the reason why it does not.",
  ),
];
