import { resolve } from "node:path";
import { ToolError, type JsonObject } from "@toolweave/core";
import type { ConfigReader } from "../reading/config-reader.ts";
import { findStoreFault, hasLiteralPassword, isDatabaseUrl, resolveStore } from "./database-url.ts";
import { sharedStore, type SharedStore } from "./shared-store.ts";

/** Where data is stored: the absolute path of a folder, or a database. */
export type StorePlace = string | SharedStore;

/**
 * The `store` of a configuration; undefined: it has none, or a fault.
 *
 * @param env the variables with the keys of a database.
 */
export function configuredStore(
  config: JsonObject,
  folder: string,
  env: Readonly<Record<string, string | undefined>>,
  reader: ConfigReader,
): StorePlace | undefined {
  const { store: written } = config;
  if (typeof written !== "string") return undefined;
  const { faults } = reader;
  const text = reader.resolvedText(written, "/store", resolveStore);
  if (hasLiteralPassword(written)) {
    reader.fault(
      "/store",
      "the password of the database stands in the file: write a reference such as ${DB_PASSWORD} in its place, and set that environment variable",
    );
  }
  const fault = findStoreFault(text);
  if (fault !== undefined) reader.fault("/store", fault);
  // The faults of the text would only cause further ones.
  if (reader.faults !== faults) return undefined;
  if (!isDatabaseUrl(text)) return resolve(folder, text);
  try {
    return sharedStore(text, { written, env });
  } catch (error) {
    if (!ToolError.is(error)) throw error;
    reader.fault("/store", error.message);
    return undefined;
  }
}
