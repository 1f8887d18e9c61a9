import { type Mutant } from "../mutant.ts";

export const timeoutMutants: readonly Mutant[] = [];
