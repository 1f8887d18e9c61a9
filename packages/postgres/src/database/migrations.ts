import { artifactObjects } from "./artifact-objects.ts";
import { callFunctions } from "./call-functions.ts";
import { dataFunctions, memoryFunction } from "./data-functions.ts";
import { groupedFunctions } from "./grouped-functions.ts";
import { ledgerFunctions } from "./ledger-functions.ts";
import { processFunctions } from "./process-functions.ts";
import { tables } from "./tables.ts";

/**
 * The steps from an empty schema to the present one. A step never changes its tables or the arguments and results of its
 * functions, and only adds, so that a process of the former version works beside one of this version while both are
 * deployed. The text of a function may change: then a later step replaces it.
 */
export const migrations: readonly ((schema: string) => string)[] = [
  (schema) => tables(schema) + callFunctions(schema) + dataFunctions(schema),
  (schema) => ledgerFunctions(schema) + processFunctions(schema) + replaced(callFunctions(schema)),
  artifactObjects,
  groupedFunctions,
  (schema) => replaced(memoryFunction(schema)),
];

function replaced(functions: string): string {
  return functions.replaceAll(/^CREATE FUNCTION/gm, "CREATE OR REPLACE FUNCTION");
}
