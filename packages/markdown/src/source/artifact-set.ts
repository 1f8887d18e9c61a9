import { dirname, join } from "node:path";
import { combineBundle } from "../artifact/bundle.ts";
import type { Artifact, BundleArtifact, HookArtifact, ToolArtifact } from "../artifact/artifact.ts";
import {
  readBundleFile,
  readHookFile,
  readInlineFile,
  readToolFile,
} from "../artifact/read-artifact.ts";
import type { Finding, Place } from "../text/finding.ts";
import { findArtifactFiles, readText, type ArtifactFile } from "./find-files.ts";
import { Condition } from "./condition.ts";

/** The artifacts of all files of a folder. */
export interface ArtifactSet {
  readonly tools: readonly ToolArtifact[];
  readonly hooks: readonly HookArtifact[];
  readonly bundles: readonly BundleArtifact[];
  readonly findings: readonly Finding[];
}

/** Lists of tools and hooks that are given by other means than files, such as `toolweave.json`. */
export type InlineArtifacts = Pick<ArtifactSet, "tools" | "hooks" | "findings">;

/** The facts that conditions of bundles use. */
export interface BundleFacts {
  readonly env: Readonly<Record<string, string>>;
  readonly platform: string;
}

interface ReadFile {
  readonly text: string;
  /** The texts of the files beside it that it has read, by their absolute paths. */
  readonly beside: ReadonlyMap<string, string | undefined>;
  readonly artifacts: readonly Artifact[];
  readonly findings: readonly Finding[];
}

/** Artifacts with the file that declares them. */
interface Candidate {
  readonly artifact: ToolArtifact | HookArtifact;
  readonly overrides: boolean;
}

/**
 * Reads the artifacts of a folder, again and again: files that are the same are not parsed again, and of a file that has
 * an error now, the last version without one stays.
 */
export class ArtifactReader {
  readonly #folder: string;
  readonly #inline: InlineArtifacts;
  readonly #facts: BundleFacts;
  #files = new Map<string, ReadFile>();

  constructor(folder: string, inline: InlineArtifacts, facts: BundleFacts) {
    this.#folder = folder;
    this.#inline = inline;
    this.#facts = facts;
  }

  /** The artifacts that are given by other means than files, alone. */
  readInline(): Promise<ArtifactSet> {
    return this.#combine([], []);
  }

  async read(): Promise<ArtifactSet> {
    const files = findArtifactFiles(this.#folder);
    const known = this.#files;
    this.#files = new Map();
    const findings: Finding[] = [];
    const read: { readonly file: ArtifactFile; readonly content: ReadFile }[] = [];
    for (const [index, file] of files.entries()) {
      // Thousands of files must not keep the event loop.
      if (index % 100 === 99) await new Promise((resolve) => setImmediate(resolve));
      const content = this.#readFile(file, known.get(file.path));
      if (content === undefined) {
        findings.push(unreadable(file.file));
        continue;
      }
      this.#files.set(file.path, content);
      findings.push(...content.findings);
      read.push({ file, content });
    }
    return this.#combine(read, findings);
  }

  #readFile(file: ArtifactFile, known: ReadFile | undefined): ReadFile | undefined {
    const text = readText(file.path);
    if (text === undefined) return undefined;
    if (known?.text === text) {
      const isSame = [...known.beside].every(([path, before]) => readText(path) === before);
      if (isSame) return known;
    }
    const beside = new Map<string, string | undefined>();
    const readFile = (name: string): string | undefined => {
      const path = join(dirname(file.path), name);
      const found = readText(path);
      beside.set(path, found);
      return found;
    };
    const { artifacts, findings } = parse(file, text, readFile);
    const hasError = findings.some(({ severity }) => severity === "error");
    const stays = hasError && known !== undefined && known.artifacts.length > 0;
    return { text, beside, artifacts: stays ? known.artifacts : artifacts, findings };
  }

  async #combine(
    read: readonly { readonly file: ArtifactFile; readonly content: ReadFile }[],
    found: readonly Finding[],
  ): Promise<ArtifactSet> {
    const findings = [...found, ...this.#inline.findings];
    const candidates: Candidate[] = [...this.#inline.tools, ...this.#inline.hooks].map(
      (artifact) => ({ artifact, overrides: false }),
    );
    const bundles = new Map<string, { bundle: BundleArtifact; file: ArtifactFile }>();
    const parts = new Map<string, (ToolArtifact | HookArtifact)[]>();
    for (const { file, content } of read) {
      for (const artifact of content.artifacts) {
        if (artifact.kind === "bundle") {
          const first = bundles.get(artifact.name);
          if (first === undefined) bundles.set(artifact.name, { bundle: artifact, file });
          else
            findings.push(duplicate("bundle", artifact.name, artifact.place, first.bundle.place));
        } else if (file.bundle !== undefined)
          parts.set(file.bundle, [...(parts.get(file.bundle) ?? []), artifact]);
        else candidates.push({ artifact, overrides: file.overrides });
      }
    }
    const combined = new Map(
      Array.from(bundles, ([name, { bundle, file }]) => [
        name,
        { bundle: combineBundle(bundle, parts.get(file.file) ?? []), file },
      ]),
    );
    const loaded = await this.#loadable(combined, findings);
    for (const { bundle, file } of loaded) {
      for (const artifact of [...bundle.tools, ...bundle.hooks])
        candidates.push({ artifact, overrides: file.overrides });
    }
    const unique = withoutDuplicates(candidates, findings);
    return {
      tools: unique.flatMap((artifact) => (artifact.kind === "tool" ? [artifact] : [])),
      hooks: unique.flatMap((artifact) => (artifact.kind === "hook" ? [artifact] : [])),
      bundles: loaded.map(({ bundle }) => bundle),
      findings,
    };
  }

  /** The bundles whose condition holds, and whose dependencies are loaded. */
  async #loadable<Entry extends { readonly bundle: BundleArtifact }>(
    bundles: ReadonlyMap<string, Entry>,
    findings: Finding[],
  ): Promise<readonly Entry[]> {
    const loaded = new Map<string, Entry>();
    for (const [name, entry] of bundles)
      if (await this.#applies(entry.bundle, findings)) loaded.set(name, entry);
    for (let isStable = false; !isStable;) {
      isStable = true;
      for (const [name, { bundle }] of loaded) {
        const missing = bundle.dependsOn.find((other) => !loaded.has(other));
        if (missing === undefined) continue;
        loaded.delete(name);
        isStable = false;
        const why = bundles.has(missing) ? "is not loaded" : "does not exist";
        findings.push({
          ...bundle.place,
          code: "missing_dependency",
          severity: "error",
          message: `bundle "${name}" needs the bundle "${missing}", which ${why}`,
          hint: "Add it, or remove it from depends_on.",
        });
      }
    }
    return [...loaded.values()];
  }

  async #applies(
    { name, condition, place }: BundleArtifact,
    findings: Finding[],
  ): Promise<boolean> {
    if (condition === undefined) return true;
    try {
      return await new Condition(condition, ["env", "platform"]).holds([
        this.#facts.env,
        this.#facts.platform,
      ]);
    } catch (error) {
      findings.push({
        ...place,
        code: "condition_failed",
        severity: "error",
        message: `the condition of bundle "${name}" failed: ${(error as Error).message}`,
        hint: "It is an expression over env and platform that is True or False.",
      });
      return false;
    }
  }
}

function parse(
  { kind, file }: ArtifactFile,
  text: string,
  readFile: (path: string) => string | undefined,
): Pick<ReadFile, "artifacts" | "findings"> {
  if (kind === "inline") {
    const { tools, hooks, findings } = readInlineFile(file, text, { readFile });
    return { artifacts: [...tools, ...hooks], findings };
  }
  const read = { tool: readToolFile, hook: readHookFile, bundle: readBundleFile }[kind];
  const { artifact, findings } = read(file, text, { readFile });
  return { artifacts: artifact === undefined ? [] : [artifact], findings };
}

/** Of several with one name: the first one, unless a later one overrides it. */
function withoutDuplicates(
  candidates: readonly Candidate[],
  findings: Finding[],
): readonly (ToolArtifact | HookArtifact)[] {
  const byName = new Map<string, Candidate>();
  for (const candidate of candidates) {
    const { artifact } = candidate;
    const key = `${artifact.kind} ${artifact.name}`;
    const first = byName.get(key);
    const overrides = overridesOthers(candidate);
    if (first === undefined || (overrides && !overridesOthers(first))) byName.set(key, candidate);
    else if (overrides || !overridesOthers(first))
      findings.push(duplicate(artifact.kind, artifact.name, artifact.place, first.artifact.place));
  }
  return Array.from(byName.values(), ({ artifact }) => artifact);
}

function overridesOthers({ artifact, overrides }: Candidate): boolean {
  return overrides || (artifact.kind === "tool" && artifact.overrides);
}

function duplicate(kind: string, name: string, place: Place, first: Place): Finding {
  return {
    ...place,
    code: "duplicate_name",
    severity: "error",
    message: `${kind} "${name}" is defined more than once`,
    hint: `The first is at ${first.file}:${first.line}. Rename one of the two, or remove it.`,
  };
}

function unreadable(file: string): Finding {
  return {
    file,
    line: 1,
    column: 1,
    code: "unreadable_file",
    severity: "error",
    message: "the file cannot be read, or is longer than 1 MiB",
  };
}
