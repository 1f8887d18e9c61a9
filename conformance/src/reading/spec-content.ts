import { canonicalJson, type ToolSpec } from "@toolweave/core";
import { isObject } from "../schema/subschemas.ts";

/** A field that two specs do not have in common. */
export interface ChangedField {
  readonly field: string;
  readonly before: unknown;
  readonly after: unknown;
}

/** The first field whose content differs, whatever the order of keys. */
export function changedField(before: ToolSpec, after: ToolSpec): ChangedField | undefined {
  const old = before as unknown as Readonly<Record<string, unknown>>;
  const now = after as unknown as Readonly<Record<string, unknown>>;
  for (const field of new Set([...Object.keys(old), ...Object.keys(now)])) {
    if (old[field] === now[field]) continue;
    if (canonicalJson(old[field]) === canonicalJson(now[field])) continue;
    return { field, before: old[field], after: now[field] };
  }
  return undefined;
}

/**
 * The spec without the places that another instance may have: the address of what it came from, and
 * the folder it works in.
 */
export function otherPlace(spec: ToolSpec): ToolSpec {
  const { provenance, annotations } = spec;
  const { source: _, ...from } = isObject(provenance) ? provenance : {};
  const { access } = isObject(annotations) ? (annotations as ToolSpec["annotations"]) : {};
  const { workspaceRoot: __, ...reaches } = access ?? {};
  return {
    ...spec,
    provenance: from as ToolSpec["provenance"],
    annotations: { ...annotations, ...(access === undefined ? {} : { access: reaches }) },
  };
}
