import { canonicalJson } from "../json/canonical-json.ts";
import { argumentsSchemaOf, type Tool, type RegisteredTool } from "../contract/tool.ts";

/** The effect of one change on a registry: names, in order. */
export interface RegistryDiff {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly string[];
  /** The registry's version after the change. */
  readonly version: number;
}

/** Compares two states of a registry; `undefined` when nothing changed. The names are in no order. */
export function diffTools(
  before: ReadonlyMap<string, RegisteredTool>,
  after: ReadonlyMap<string, RegisteredTool>,
): Record<"added" | "removed" | "changed", string[]> | undefined {
  const added: string[] = [];
  const removed: string[] = [];
  const changed: string[] = [];
  for (const [name, entry] of after) {
    const old = before.get(name);
    if (old === undefined) added.push(name);
    else if (old !== entry && !sameTool(old, entry)) changed.push(name);
  }
  for (const name of before.keys()) if (!after.has(name)) removed.push(name);
  if (added.length + removed.length + changed.length === 0) return undefined;
  return { added, removed, changed };
}

/** Compares two states that have the same names. */
export function isSameEntries(
  before: ReadonlyMap<string, RegisteredTool>,
  after: ReadonlyMap<string, RegisteredTool>,
): boolean {
  for (const [name, entry] of after) if (before.get(name) !== entry) return false;
  return true;
}

function sameTool(a: RegisteredTool, b: RegisteredTool): boolean {
  if (a.tool === b.tool && a.trusted === b.trusted) return true;
  return a.trusted === b.trusted && a.source === b.source && sameSpec(a.tool, b.tool);
}

/** By fingerprint where both have one; else all of the specs is read. */
export function sameSpec(a: Tool, b: Tool): boolean {
  if (a.fingerprint !== undefined && b.fingerprint !== undefined) {
    return a.fingerprint === b.fingerprint;
  }
  try {
    return (
      canonicalJson(a.spec) === canonicalJson(b.spec) &&
      canonicalJson(argumentsSchemaOf(a)) === canonicalJson(argumentsSchemaOf(b))
    );
  } catch {
    // A spec that cannot be read is no proof of being the same.
    return false;
  }
}
