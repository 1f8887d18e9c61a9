import type { JsonObject, JsonValue } from "@toolweave/core";
import { isObject } from "@toolweave/core/adapter";
import { References } from "./references.ts";

/**
 * The property names that a schema describes or requires at its root, also in schemas that apply to
 * the same object.
 */
export function collectPropertyNames(schema: JsonObject): ReadonlySet<string> {
  const references = new References(schema);
  const names = new Set<string>();
  const seen = new Set<JsonObject>();
  const visit = (value: JsonValue | undefined): void => {
    if (!isObject(value) || seen.has(value)) return;
    seen.add(value);
    if (isObject(value["properties"]))
      Object.keys(value["properties"]).forEach((name) => names.add(name));
    if (Array.isArray(value["required"])) {
      value["required"].forEach((name: JsonValue) => typeof name === "string" && names.add(name));
    }
    if (typeof value["$ref"] === "string") visit(references.resolve(value["$ref"]));
    for (const keyword of ["allOf", "anyOf", "oneOf"]) {
      const branches = value[keyword];
      if (Array.isArray(branches)) branches.forEach(visit);
    }
    for (const keyword of ["if", "then", "else"]) visit(value[keyword]);
  };
  visit(schema);
  return names;
}
