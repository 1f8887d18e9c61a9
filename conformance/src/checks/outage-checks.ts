import type { Check } from "../check.ts";

/** What becomes of a source whose backend is away. */
export const outageChecks: readonly Check[] = [];
