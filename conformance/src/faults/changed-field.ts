import type { ToolSpec } from "@toolweave/core";
import { canonicalJson } from "@toolweave/core/adapter";
import { isObject } from "../schema/subschemas.ts";

/** A field in which two specs differ. */
export interface ChangedField {
  readonly field: string;
  readonly before: unknown;
  readonly after: unknown;
}

/** Finds the first field whose content differs, independent of the order of keys. */
export function findChangedField(before: ToolSpec, after: ToolSpec): ChangedField | undefined {
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
 * The spec without the fields in which instances may differ: the source of its provenance, and the
 * workspace folder.
 */
export function withoutLocation(spec: ToolSpec): ToolSpec {
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
