import { canonicalJson, sha256 } from "../json/canonical-json.ts";
import { argumentsSchemaOf } from "./arguments-schema.ts";
import type { Tool } from "./tool.ts";

/**
 * SHA-256 of a tool's spec. Computed each time: an approval is for the tool as it is.
 *
 * @throws the exception of a part of the spec that is read.
 */
export async function specHashOf(tool: Tool): Promise<string> {
  const { spec } = tool;
  const schema = argumentsSchemaOf(tool);
  return sha256(canonicalJson(schema === spec.inputSchema ? spec : [spec, schema]));
}
