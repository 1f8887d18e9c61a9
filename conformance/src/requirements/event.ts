import type { Requirement } from "../requirement.ts";

/** What a call tells while it runs. */
export const eventRequirements: readonly Requirement[] = [];
