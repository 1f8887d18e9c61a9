import { readdirSync, statSync } from "node:fs";
import { basename, dirname, join, relative, sep } from "node:path";
import type { HookArtifact, ToolArtifact } from "../artifact/artifact.ts";
import { readBundleFile, readHookFile, readToolFile } from "../artifact/read-artifact.ts";
import type { ReadResult } from "../artifact/read-artifact.ts";
import { readText } from "../source/find-files.ts";
import type { Finding } from "../text/finding.ts";

/** The artifacts beside a test. */
export interface ArtifactsBeside {
  readonly tools: ReadonlyMap<string, ToolArtifact>;
  readonly hooks: ReadonlyMap<string, HookArtifact>;
  /** The faults of files that cannot be used, by the name of the artifact. */
  readonly faults: ReadonlyMap<string, readonly Finding[]>;
  /** The folders that were searched, as they are displayed. */
  readonly folders: readonly string[];
}

/** The folders whose tools and hooks a test can call. */
export function foldersBeside(test: string): readonly string[] {
  const folder = dirname(test);
  const around = dirname(folder);
  const inner = [folder, around].flatMap((each) => [join(each, "tools"), join(each, "hooks")]);
  return [...new Set([folder, ...inner])];
}

/**
 * Reads the tools and hooks beside a test: those of its folder, of `tools` and `hooks` in it, and of `../tools` and
 * `../hooks`. Of several with one name, the first counts.
 *
 * @param root the folder to which displayed paths are relative.
 */
export function readArtifactsBeside(test: string, root: string): ArtifactsBeside {
  const display = (path: string): string => relative(root, path).split(sep).join("/") || ".";
  const tools = new Map<string, ToolArtifact>();
  const hooks = new Map<string, HookArtifact>();
  const faults = new Map<string, readonly Finding[]>();
  const add = (artifact: ToolArtifact | HookArtifact): void => {
    if (artifact.kind === "tool" && !tools.has(artifact.name)) tools.set(artifact.name, artifact);
    if (artifact.kind === "hook" && !hooks.has(artifact.name)) hooks.set(artifact.name, artifact);
  };
  const folders = foldersBeside(test);
  for (const each of folders) {
    for (const path of listMarkdown(each)) {
      const text = readText(path);
      if (text === undefined || !text.startsWith("---")) continue;
      const read = readAny(display(path), text, (name) => readText(join(dirname(path), name)));
      const { artifact } = read;
      if (artifact === undefined) faults.set(basename(path, ".md"), read.findings);
      else if (artifact.kind === "bundle") [...artifact.tools, ...artifact.hooks].forEach(add);
      else add(artifact);
    }
  }
  return { tools, hooks, faults, folders: folders.filter(isFolder).map(display) };
}

/** Reads a file as what its keys say: a hook has an event, a bundle a type. */
function readAny(
  file: string,
  text: string,
  readFile: (path: string) => string | undefined,
): ReadResult {
  const tool = readToolFile(file, text, { readFile });
  const { values } = tool.frontMatter;
  if ("type" in values) return readBundleFile(file, text, { readFile });
  return "event" in values ? readHookFile(file, text, { readFile }) : tool;
}

function listMarkdown(folder: string): readonly string[] {
  if (!isFolder(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.endsWith(".md"))
    .sort()
    .map((name) => join(folder, name));
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
