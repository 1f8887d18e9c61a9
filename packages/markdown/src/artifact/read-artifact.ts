import type { JsonObject, JsonValue } from "@toolweave/core";
import { isObject } from "@toolweave/core/adapter";
import type { Finding, Place } from "../text/finding.ts";
import { readFrontMatter } from "../text/front-matter.ts";
import type { FrontMatter } from "../text/front-matter.ts";
import { isError, sortFindings } from "../text/sort-findings.ts";
import { samePlace } from "../text/value-places.ts";
import type { Artifact, BundleArtifact, HookArtifact, ToolArtifact } from "./artifact.ts";
import { readBundle, readEntries } from "./bundle.ts";
import type { ArtifactPart } from "./bundle.ts";
import { describe, Fields } from "./fields.ts";
import { readHook } from "./hook.ts";
import { findDuplicates } from "./duplicates.ts";
import { readTool } from "./tool.ts";
import type { ArtifactContext } from "./tool.ts";

/** The artifact of a file and its findings. */
export interface ReadResult<Kind extends Artifact = Artifact> {
  /** Absent: the file has an error. */
  readonly artifact?: Kind;
  /** Everything that is wrong, in the order of the file. */
  readonly findings: readonly Finding[];
  /** The tools and hooks as far as they could be read, also those with errors. */
  readonly parts: readonly ArtifactPart[];
  /** The artifact as far as it could be read; absent: the front matter cannot be read. */
  readonly draft?: Kind;
  readonly frontMatter: FrontMatter;
}

/** How files are read. */
export interface ReadOptions {
  /** The text of a file beside the markdown file, for `script_file`; undefined: it does not exist. Default: there are none. */
  readonly readFile?: (path: string) => string | undefined;
}

/** Reads a tool: one markdown file, whose stem is the name. */
export function readToolFile(
  file: string,
  text: string,
  options: ReadOptions = {},
): ReadResult<ToolArtifact> {
  return readFile(file, text, options, (fields, context) => {
    const artifact = readTool(fields, context);
    return { artifact, parts: [{ artifact, fields, isValid: !fields.findings.some(isError) }] };
  });
}

/** Reads a hook: one markdown file, whose stem is the name. */
export function readHookFile(
  file: string,
  text: string,
  options: ReadOptions = {},
): ReadResult<HookArtifact> {
  return readFile(file, text, options, (fields, context) => {
    const artifact = readHook(fields, context);
    return { artifact, parts: [{ artifact, fields, isValid: !fields.findings.some(isError) }] };
  });
}

/** Reads a bundle: one markdown file with lists of tools and hooks. */
export function readBundleFile(
  file: string,
  text: string,
  options: ReadOptions = {},
): ReadResult<BundleArtifact> {
  return readFile(file, text, options, (fields, context) => {
    const { bundle, parts } = readBundle(fields, context);
    return { artifact: bundle, parts };
  });
}

/** Reads a file of any kind. */
export function readArtifactFile(
  file: string,
  text: string,
  options: ReadOptions & { readonly kind: Artifact["kind"] },
): ReadResult {
  switch (options.kind) {
    case "tool":
      return readToolFile(file, text, options);
    case "hook":
      return readHookFile(file, text, options);
    case "bundle":
      return readBundleFile(file, text, options);
  }
}

/** The tools and hooks of lists, without those that have errors. */
export interface InlineResult {
  readonly tools: readonly ToolArtifact[];
  readonly hooks: readonly HookArtifact[];
  readonly findings: readonly Finding[];
  /** All entries as far as they could be read. */
  readonly parts: readonly ArtifactPart[];
}

/** Reads the lists `tools` and `hooks` of the front matter of `toolweave.md` or `harness.md`. */
export function readInlineFile(
  file: string,
  text: string,
  options: ReadOptions = {},
): InlineResult {
  const frontMatter = readFrontMatter(file, text);
  if (!frontMatter.isReadable)
    return { tools: [], hooks: [], findings: frontMatter.findings, parts: [] };
  const { body, bodyLine, values, places } = frontMatter;
  const findings = [...frontMatter.findings];
  const parts = readEntries(new Fields(values, places, { findings }), {
    file,
    body,
    bodyLine,
    ...options,
  });
  return toInlineResult(parts, findings);
}

/**
 * Reads the lists `tools` and `hooks` of a value that is no YAML, such as a part of `toolweave.json`. Findings have the
 * place of the value; the places of a script start at 1, below the name `FILE#/tools/0/script`.
 */
export function readInlineArtifacts(
  values: { readonly tools?: JsonValue; readonly hooks?: JsonValue },
  place: Place,
  options: ReadOptions = {},
): InlineResult {
  const fields = new Fields(values as JsonObject, samePlace(place));
  const parts = readEntries(fields, { file: place.file, body: "", bodyLine: 1, ...options });
  return toInlineResult(parts, fields.findings);
}

/** Reads one entry of such a list. */
export function readInlineArtifact(
  kind: "tool" | "hook",
  value: JsonValue,
  place: Place,
  options: ReadOptions = {},
): ReadInlineResult {
  const fields = new Fields(isObject(value) ? value : {}, samePlace(place));
  if (!isObject(value)) {
    const message = `a ${kind} must be a map, not ${describe(value)}`;
    return { findings: [{ ...place, code: "wrong_type", severity: "error", message }] };
  }
  const context = { file: place.file, body: "", bodyLine: 1, ...options };
  const artifact = kind === "tool" ? readTool(fields, context) : readHook(fields, context);
  const { findings } = fields;
  return findings.some(isError) ? { findings } : { artifact, findings };
}

/** One entry of a list: the artifact is absent if it has an error. */
export interface ReadInlineResult {
  readonly artifact?: ToolArtifact | HookArtifact;
  readonly findings: readonly Finding[];
}

function toInlineResult(parts: readonly ArtifactPart[], found: readonly Finding[]): InlineResult {
  const valid = parts.flatMap(({ artifact, isValid }) => (isValid ? [artifact] : []));
  return {
    tools: valid.flatMap((artifact) => (artifact.kind === "tool" ? [artifact] : [])),
    hooks: valid.flatMap((artifact) => (artifact.kind === "hook" ? [artifact] : [])),
    findings: sortFindings([...found, ...findDuplicates(parts.map(({ artifact }) => artifact))]),
    parts,
  };
}

function readFile<Kind extends Artifact>(
  file: string,
  text: string,
  options: ReadOptions,
  read: (
    fields: Fields,
    context: ArtifactContext,
  ) => { readonly artifact: Kind; readonly parts: readonly ArtifactPart[] },
): ReadResult<Kind> {
  const frontMatter = readFrontMatter(file, text);
  const { body, bodyLine, values, places, isReadable } = frontMatter;
  if (!isReadable) return { findings: sortFindings(frontMatter.findings), parts: [], frontMatter };
  const fields = new Fields(values, places);
  const context = { file, stem: toStem(file), body, bodyLine, ...options };
  const { artifact, parts } = read(fields, context);
  const duplicates = findDuplicates(parts.map((part) => part.artifact));
  const findings = sortFindings([...frontMatter.findings, ...fields.findings, ...duplicates]);
  return {
    ...(!findings.some(isError) && { artifact }),
    findings,
    parts,
    draft: artifact,
    frontMatter,
  };
}

/** The name of a file without its folder and its last extension. */
function toStem(file: string): string {
  return (file.split(/[\\/]/).at(-1) ?? "").replace(/\.[^.]*$/, "");
}
