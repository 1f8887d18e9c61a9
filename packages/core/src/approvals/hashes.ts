import { canonicalJson, sha256 } from "../schema/canonical-json.ts";
import type { Tool } from "../spec/tool.ts";

/**
 * SHA-256 of all that is said of a tool. Made anew each time: an approval is for the tool as it is.
 *
 * @throws whatever a part of the spec throws when it is read.
 */
export async function specHashOf({ spec }: Tool): Promise<string> {
  return sha256(canonicalJson(spec));
}
