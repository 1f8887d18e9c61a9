import { type Mutant } from "../mutant.ts";

export const determinismMutants: readonly Mutant[] = [];
