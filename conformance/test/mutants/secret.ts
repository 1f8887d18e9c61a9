import { type Mutant } from "../mutant.ts";

export const secretMutants: readonly Mutant[] = [];
