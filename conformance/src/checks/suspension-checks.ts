import type { Check } from "../check.ts";

/** How calls wait for a person and go on. */
export const suspensionChecks: readonly Check[] = [];
