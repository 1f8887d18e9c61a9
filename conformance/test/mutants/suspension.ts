import { type Mutant } from "../mutant.ts";

export const suspensionMutants: readonly Mutant[] = [];
