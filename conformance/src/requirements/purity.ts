import type { Requirement } from "../requirement.ts";

/** Whether tools keep what their hints promise. */
export const purityRequirements: readonly Requirement[] = [];
