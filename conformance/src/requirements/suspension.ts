import type { Requirement } from "../requirement.ts";

/** How calls wait for a person and go on. */
export const suspensionRequirements: readonly Requirement[] = [];
