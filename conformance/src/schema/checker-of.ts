import type { CompiledSchema, JsonObject } from "@toolweave/core";
import { References } from "./references.ts";
import { sharedValidator } from "./shared-validator.ts";

/** What checks values against a schema; `undefined` when it cannot be used, as other rules say. */
export async function checkerOf(schema: JsonObject): Promise<CompiledSchema | undefined> {
  if (new References(schema).dangling().length > 0) return undefined;
  try {
    return await sharedValidator.compile(schema);
  } catch {
    return undefined;
  }
}
