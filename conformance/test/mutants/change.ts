import { type Mutant } from "../mutant.ts";

export const changeMutants: readonly Mutant[] = [];
