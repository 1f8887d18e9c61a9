import type { Check } from "../check.ts";

/** What stays the same from one time to the next. */
export const determinismChecks: readonly Check[] = [];
