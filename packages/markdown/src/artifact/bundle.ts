import type { JsonValue } from "@toolweave/core";
import { isObject, nearNames } from "@toolweave/core/adapter";
import { isError } from "../text/sort-findings.ts";
import type { BundleArtifact, HookArtifact, ToolArtifact } from "./artifact.ts";
import { describe, Fields } from "./fields.ts";
import { readHook } from "./hook.ts";
import { bundleKeys } from "./keys.ts";
import { readCode } from "./script-text.ts";
import { readMetadata, readName } from "./settings.ts";
import { readTool } from "./tool.ts";
import type { ArtifactContext } from "./tool.ts";

/** One tool or hook, and the fields from which it was read. */
export interface ArtifactPart {
  readonly artifact: ToolArtifact | HookArtifact;
  readonly fields: Fields;
  /** False: the fields have an error. */
  readonly isValid: boolean;
}

/**
 * Reads the entries of `tools` and `hooks`.
 *
 * @param reads whether a value of `tools` is an entry that is read. Default: every value.
 */
export function readEntries(
  fields: Fields,
  context: ArtifactContext,
  reads: (value: JsonValue) => boolean = () => true,
): readonly ArtifactPart[] {
  const toTool = (entry: Fields): ToolArtifact => readTool(entry, entryContext(entry, context));
  const toHook = (entry: Fields): HookArtifact => readHook(entry, entryContext(entry, context));
  return [...readList(fields, "tools", toTool, reads), ...readList(fields, "hooks", toHook)];
}

/** An entry has no body: only its `description` describes it. Fences of the file's body can be its scripts. */
function entryContext(entry: Fields, context: ArtifactContext): ArtifactContext {
  const named = entry.get("script");
  const usesFence = typeof named === "string" && named.startsWith("#");
  return { ...context, stem: undefined, body: usesFence ? context.body : "" };
}

function readList(
  fields: Fields,
  key: "tools" | "hooks",
  read: (entry: Fields) => ToolArtifact | HookArtifact,
  reads: (value: JsonValue) => boolean = () => true,
): readonly ArtifactPart[] {
  return (fields.list(key) ?? []).flatMap((value, index): readonly ArtifactPart[] => {
    if (!reads(value)) return [];
    if (!isObject(value)) {
      fields.report([key, index], {
        code: "wrong_type",
        message: `${key}[${index}] must be a map, not ${describe(value)}`,
        hint: "Write `- name: …`, and the other fields below it.",
      });
      return [];
    }
    const path = [...fields.path, key, index];
    const entry = new Fields(value, fields.places, { path });
    const isNamed = entry.has("name");
    if (!isNamed)
      entry.report([], {
        code: "missing_field",
        message: `${key}[${index}].name cannot be empty`,
        hint: "Add name: verb_and_noun.",
      });
    // The other faults of an entry without a name are reported, too.
    const artifact = read(
      isNamed ? entry : entry.below([], { ...entry.values, name: "unnamed" }, ""),
    );
    fields.findings.push(...entry.findings);
    return [{ artifact, fields: entry, isValid: !entry.findings.some(isError) }];
  });
}

/** Reads a bundle. Faults are among the findings of the fields; the bundle has everything that could be read. */
export function readBundle(
  fields: Fields,
  context: ArtifactContext,
): { readonly bundle: BundleArtifact; readonly parts: readonly ArtifactPart[] } {
  const name = readName(fields, "bundle", undefined);
  const type = fields.string("type");
  if (type === undefined && !fields.has("type"))
    fields.reportKey([], {
      code: "missing_field",
      message: "a bundle needs type: plugin",
      hint: "Add type: plugin.",
    });
  else if (type !== undefined && type !== "plugin")
    fields.report("type", {
      code: "invalid_value",
      message: `type must be plugin, not "${type}"`,
      ...(nearNames(type, ["plugin"], 1).length > 0 && { hint: "Did you mean plugin?" }),
    });
  const description = fields.string("description")?.trim() ?? "";
  if (description === "" && !fields.has("description"))
    fields.reportKey([], {
      code: "missing_field",
      message: `bundle "${name}" has no description`,
      hint: "Add description: one sentence.",
    });
  const [version, author] = [fields.string("version"), fields.string("author")];
  const condition = fields.has("condition") ? readCode(fields, "condition") : undefined;
  const parts = readEntries(fields, context);
  const bundle: BundleArtifact = {
    kind: "bundle",
    name,
    place: fields.keyPlace("name"),
    description,
    ...(version !== undefined && { version }),
    ...(author !== undefined && { author }),
    tags: fields.strings("tags") ?? [],
    dependsOn: fields.strings("depends_on") ?? [],
    ...(condition !== undefined && { condition }),
    tools: parts.flatMap(({ artifact }) => (artifact.kind === "tool" ? [artifact] : [])),
    hooks: parts.flatMap(({ artifact }) => (artifact.kind === "hook" ? [artifact] : [])),
    body: context.body.trim(),
    metadata: readMetadata(fields, bundleKeys),
  };
  return { bundle, parts };
}

/** A bundle of the folder form: `PLUGIN.md`, with the tools and hooks of the files beside it. */
export function combineBundle(
  bundle: BundleArtifact,
  artifacts: readonly (ToolArtifact | HookArtifact)[],
): BundleArtifact {
  return {
    ...bundle,
    tools: [
      ...bundle.tools,
      ...artifacts.filter((artifact): artifact is ToolArtifact => artifact.kind === "tool"),
    ],
    hooks: [
      ...bundle.hooks,
      ...artifacts.filter((artifact): artifact is HookArtifact => artifact.kind === "hook"),
    ],
  };
}
