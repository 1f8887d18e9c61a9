import { must, type Requirement } from "./requirement.ts";

/** What an author says of a subject. */
export const manifestRequirements: readonly Requirement[] = [
  must(
    "TW-MANIFEST-001",
    "1",
    "The manifest gives everything that rules need, or says why there is none.",
  ),
];
