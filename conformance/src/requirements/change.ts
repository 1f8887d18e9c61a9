import type { Requirement } from "../requirement.ts";

/** How a source tells that its tools have changed. */
export const changeRequirements: readonly Requirement[] = [];
