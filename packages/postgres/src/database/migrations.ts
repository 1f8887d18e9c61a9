import { callFunctions } from "./call-functions.ts";
import { dataFunctions } from "./data-functions.ts";
import { ledgerFunctions } from "./ledger-functions.ts";
import { processFunctions } from "./process-functions.ts";
import { tables } from "./tables.ts";

/**
 * The steps from an empty schema to the present one. A step is never changed and only adds, or replaces a function by one
 * that does the same for its former callers: a process of the former version works beside one of this version while both
 * are deployed.
 */
export const migrations: readonly ((schema: string) => string)[] = [
  (schema) => tables(schema) + callFunctions(schema) + dataFunctions(schema),
  (schema) => ledgerFunctions(schema) + processFunctions(schema),
];
