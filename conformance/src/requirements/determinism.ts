import type { Requirement } from "../requirement.ts";

/** What stays the same from one time to the next. */
export const determinismRequirements: readonly Requirement[] = [];
