import { type Mutant } from "../mutant.ts";

export const outageMutants: readonly Mutant[] = [];
