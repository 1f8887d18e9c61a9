import type { Check } from "../check.ts";

/** What a timeout does. */
export const timeoutChecks: readonly Check[] = [];
