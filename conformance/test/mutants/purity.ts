import { type Mutant } from "../mutant.ts";

export const purityMutants: readonly Mutant[] = [];
