import type { LanguageDocument } from "../document.ts";
import type { ScriptModel } from "../language/script-model.ts";
import type { ScriptRegion } from "../language/script-region.ts";
import type { NodeOf, Variable } from "../language/scopes.ts";

/** The name in a script at an offset of a document. */
export interface Target {
  readonly region: ScriptRegion;
  readonly model: ScriptModel;
  /** A name, or a member: then its name is at the end of the node. */
  readonly node: NodeOf<"name"> | NodeOf<"dot">;
  /** Absent: the name belongs to the host or the language. */
  readonly variable?: Variable;
}

/** The name at an offset; undefined: there is none. */
export function targetAt(document: LanguageDocument, offset: number): Target | undefined {
  const region = document.regionAt(offset);
  if (region === undefined) return undefined;
  const model = document.getModel(region);
  const node = model.wordAt(region.toScript(offset));
  if (node === undefined) return undefined;
  const variable = model.scopes.findVariable(node as NodeOf<"name">);
  return { region, model, node, ...(variable !== undefined && { variable }) };
}
