import type { Check } from "../check.ts";

/** What becomes of large and binary outputs. */
export const largeChecks: readonly Check[] = [];
