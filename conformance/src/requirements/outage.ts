import type { Requirement } from "../requirement.ts";

/** What becomes of a source whose backend is away. */
export const outageRequirements: readonly Requirement[] = [];
