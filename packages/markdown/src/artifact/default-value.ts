import type { JsonSchema, JsonValue } from "@toolweave/core";
import { interpretedValidator } from "@toolweave/core/interpreted-validator";
import { describe } from "./fields.ts";
import type { Fields } from "./fields.ts";

/** Reports a default that its own schema refuses. */
export function checkDefault(
  fields: Fields,
  schema: JsonSchema,
  value: JsonValue,
  path: readonly (string | number)[] = [],
): void {
  const fault = findFault(schema, value);
  if (fault === undefined) return;
  const title = fields.title([...path, "default"].join("."));
  fields.report([...path, "default"], {
    code: "default_value",
    message: `${title} must match the schema beside it, and ${describe(value)} does not: ${fault}`,
    hint: "A call without this argument gets the default.",
  });
}

/** `undefined` also for a schema with a fault of its own, which is reported at its place. */
function findFault(schema: JsonSchema, value: JsonValue): string | undefined {
  try {
    const [problem] = interpretedValidator().compile(schema)(value) ?? [];
    if (problem === undefined) return undefined;
    return `${problem.path} ${problem.message}`.trim().replace(/\.$/, "");
  } catch {
    return undefined;
  }
}
