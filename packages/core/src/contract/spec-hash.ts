import { canonicalJson, sha256 } from "../json/canonical-json.ts";
import { argumentsSchemaOf } from "./arguments-schema.ts";
import type { Tool } from "./tool.ts";

/**
 * SHA-256 of all that is said of a tool. Made anew each time: an approval is for the tool as it is.
 *
 * @throws whatever a part of the spec throws when it is read.
 */
export async function specHashOf(tool: Tool): Promise<string> {
  const { spec } = tool;
  const schema = argumentsSchemaOf(tool);
  return sha256(canonicalJson(schema === spec.inputSchema ? spec : [spec, schema]));
}
