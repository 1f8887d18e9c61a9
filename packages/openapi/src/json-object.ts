import type { JsonObject } from "@toolweave/core";

/** True for an object of JSON: neither null nor a list. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
