import type { Requirement } from "../requirement.ts";

/** What never comes out. */
export const secretRequirements: readonly Requirement[] = [];
