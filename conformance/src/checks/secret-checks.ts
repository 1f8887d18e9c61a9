import type { Check } from "../check.ts";

/** What never comes out. */
export const secretChecks: readonly Check[] = [];
