import type { JsonObject, JsonSchema, JsonValue } from "@toolweave/core";
import type { Projection } from "../../src/schema/projection.ts";

type Accepts = (value: JsonValue, schema: JsonSchema) => boolean;

/**
 * Arguments as a model would write them for a projected schema: with its names, `null` for absent
 * values, and without keys that closed objects do not declare.
 */
export function sentArguments(
  args: JsonObject,
  projected: Projection,
  accepts: Accepts,
): JsonValue {
  const wire = new Map([...projected.names].map(([alias, own]) => [own, alias]));
  const named = Object.fromEntries(
    Object.entries(args).map(([name, value]) => [wire.get(name) ?? name, value]),
  );
  const definitions = (projected.schema["$defs"] ?? {}) as JsonObject;

  const sent = (value: JsonValue, node: JsonSchema): JsonValue => {
    const reference = node["$ref"] as string | undefined;
    if (reference !== undefined) {
      return sent(value, definitions[reference.replace("#/$defs/", "")] as JsonSchema);
    }
    if (Array.isArray(node["anyOf"])) {
      for (const branch of node["anyOf"] as JsonSchema[]) {
        const written = sent(value, branch);
        if (accepts(written, { ...branch, $defs: definitions })) return written;
      }
      return value;
    }
    if (Array.isArray(value)) {
      const items = node["items"] as JsonSchema | undefined;
      return value.map((one: JsonValue) => (items === undefined ? one : sent(one, items)));
    }
    if (typeof value !== "object" || value === null) return value;
    const properties = (node["properties"] ?? {}) as Record<string, JsonSchema>;
    const entries = Object.entries(value).filter(
      ([name]) =>
        node["additionalProperties"] !== false ||
        node["patternProperties"] !== undefined ||
        Object.hasOwn(properties, name),
    );
    const written = entries.map(([name, member]): [string, JsonValue] =>
      Object.hasOwn(properties, name)
        ? [name, sent(member, properties[name] as JsonSchema)]
        : [name, member],
    );
    for (const name of projected.nullForAbsent.get(node) ?? []) {
      if (!Object.hasOwn(value, name)) written.push([name, null]);
    }
    return Object.fromEntries(written);
  };
  return sent(named, projected.schema);
}
