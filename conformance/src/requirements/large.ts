import type { Requirement } from "../requirement.ts";

/** What becomes of large and binary outputs. */
export const largeRequirements: readonly Requirement[] = [];
