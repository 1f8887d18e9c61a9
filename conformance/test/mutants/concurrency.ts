import { type Mutant } from "../mutant.ts";

export const concurrencyMutants: readonly Mutant[] = [];
