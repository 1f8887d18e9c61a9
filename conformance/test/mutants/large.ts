import { type Mutant } from "../mutant.ts";

export const largeMutants: readonly Mutant[] = [];
