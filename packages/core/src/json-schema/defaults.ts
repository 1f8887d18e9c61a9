import { cloneJson } from "../json/clone-json.ts";
import { isObject, type JsonObject, type JsonSchema, type JsonValue } from "../json/json.ts";

/**
 * Adds to an object the members that are missing and have a `default`: those of `properties`, and those of the objects
 * below it in `properties` and `items`. A member that is there is not changed, also if it is `null`. Defaults below other
 * keywords, such as `anyOf`, depend on other values, and are not added.
 *
 * @returns the object itself, if nothing is missing.
 */
export function withDefaults(schema: JsonSchema, value: JsonObject): JsonObject {
  return addDefaults(schema as JsonValue, value) as JsonObject;
}

function addDefaults(schema: JsonValue | undefined, value: JsonValue): JsonValue {
  if (!isObject(schema)) return value;
  if (Array.isArray(value)) {
    const filled = (value as readonly JsonValue[]).map((item) =>
      addDefaults(schema["items"], item),
    );
    return filled.some((item, index) => item !== value[index]) ? filled : value;
  }
  const { properties } = schema;
  if (!isObject(value) || !isObject(properties)) return value;
  const added: [string, JsonValue][] = [];
  for (const [name, property] of Object.entries(properties)) {
    const present = Object.hasOwn(value, name) ? value[name] : undefined;
    const member = present ?? (present === null ? null : getDefault(property));
    if (member === undefined) continue;
    const filled = addDefaults(property, member);
    if (filled !== present) added.push([name, filled]);
  }
  // Not by assignment: a member can have the name of a setter.
  return added.length === 0 ? value : Object.fromEntries([...Object.entries(value), ...added]);
}

function getDefault(schema: JsonValue | undefined): JsonValue | undefined {
  const value = isObject(schema) ? schema["default"] : undefined;
  return value === undefined ? undefined : cloneJson(value);
}
