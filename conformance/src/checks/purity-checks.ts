import type { Check } from "../check.ts";

/** Whether tools keep what their hints promise. */
export const purityChecks: readonly Check[] = [];
