import type { Check } from "../check.ts";

/** What calls do to each other that run at the same time. */
export const concurrencyChecks: readonly Check[] = [];
