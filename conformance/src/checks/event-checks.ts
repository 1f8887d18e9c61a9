import type { Check } from "../check.ts";

/** What a call tells while it runs. */
export const eventChecks: readonly Check[] = [];
