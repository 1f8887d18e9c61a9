import type { Requirement } from "../requirement.ts";

/** What calls do to each other that run at the same time. */
export const concurrencyRequirements: readonly Requirement[] = [];
