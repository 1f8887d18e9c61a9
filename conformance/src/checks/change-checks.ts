import type { Check } from "../check.ts";

/** How a source tells that its tools have changed. */
export const changeChecks: readonly Check[] = [];
