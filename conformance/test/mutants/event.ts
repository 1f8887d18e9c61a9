import { type Mutant } from "../mutant.ts";

export const eventMutants: readonly Mutant[] = [];
