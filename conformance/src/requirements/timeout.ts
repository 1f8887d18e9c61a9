import type { Requirement } from "../requirement.ts";

/** What a timeout does. */
export const timeoutRequirements: readonly Requirement[] = [];
