import { dirname } from "node:path";
import type { TextDocument } from "vscode-languageserver-textdocument";
import type { Position, Range } from "vscode-languageserver-protocol";
import type { ArtifactPart } from "../artifact/bundle.ts";
import { readArtifactFile, readInlineFile } from "../artifact/read-artifact.ts";
import type { BuiltinFunction } from "../builtins/builtin.ts";
import { kindOfFile } from "../check/check-folder.ts";
import { readFences } from "../text/fences.ts";
import type { Fence } from "../text/fences.ts";
import type { ValuePath } from "../text/value-places.ts";
import { readOutline } from "./front-matter/outline.ts";
import type { MarkdownKind } from "./front-matter/keys.ts";
import type { Outline, OutlineEntry } from "./front-matter/outline.ts";
import type { WorkspaceFiles } from "./files.ts";
import { ScriptModel } from "./language/script-model.ts";
import type { ModelOptions } from "./language/script-model.ts";
import { ScriptRegion } from "./language/script-region.ts";

/** The names that conditions have beside the built-in ones. */
const conditionNames = { hook: ["event", "payload"], bundle: ["env", "platform"] } as const;

/** The parts that all documents share. */
export interface DocumentContext {
  readonly files: WorkspaceFiles;
  /** The model of a file, open or on disk; undefined: it cannot be read. */
  readonly documentAt: (path: string) => LanguageDocument | undefined;
  /** The functions of the parameter of tests. */
  readonly testFunctions: readonly BuiltinFunction[];
}

/** One version of a document, and everything that is known about it. Each part is made when it is first used. */
export class LanguageDocument {
  readonly source: TextDocument;
  readonly path: string;
  /** `star`: a program. Undefined: the file declares nothing. */
  readonly kind: MarkdownKind | "star" | undefined;
  readonly context: DocumentContext;
  /** The declarations of the last version whose front matter could be read. */
  readonly #fallback: readonly ArtifactPart[];
  readonly #models = new Map<ScriptRegion, ScriptModel>();
  #outline: Outline | undefined;
  #regions: readonly ScriptRegion[] | undefined;
  #parts: readonly ArtifactPart[] | undefined;

  /** @param previous an earlier version, whose declarations are used while the front matter cannot be read. */
  constructor(
    source: TextDocument,
    path: string,
    context: DocumentContext,
    previous?: LanguageDocument,
  ) {
    this.source = source;
    this.path = path;
    this.context = context;
    this.#fallback = previous === undefined ? [] : previous.#lastParts;
    const kind = kindOfFile(path.replaceAll("\\", "/"), source.getText());
    this.kind = path.endsWith(".star") ? "star" : kind === "config" ? undefined : kind;
  }

  get text(): string {
    return this.source.getText();
  }

  get folder(): string {
    return dirname(this.path);
  }

  get outline(): Outline {
    return (this.#outline ??=
      this.kind === "star" ? { entries: [], bodyStart: 0 } : readOutline(this.text));
  }

  /** The scripts in the document. */
  get regions(): readonly ScriptRegion[] {
    return (this.#regions ??= this.#findRegions());
  }

  regionAt(offset: number): ScriptRegion | undefined {
    return this.regions.find((region) => region.contains(offset));
  }

  /** The tools and hooks of the document, as far as they can be read. */
  get parts(): readonly ArtifactPart[] {
    if (this.#parts !== undefined) return this.#parts;
    const { kind, path, text } = this;
    if (kind === undefined || kind === "star") return (this.#parts = []);
    const readFile = (name: string): string | undefined => this.readBeside(name);
    const { parts } =
      kind === "inline"
        ? readInlineFile(path, text, { readFile })
        : readArtifactFile(path, text, { kind, readFile });
    return (this.#parts = parts.length > 0 ? parts : this.#fallback);
  }

  get #lastParts(): readonly ArtifactPart[] {
    return this.#parts === undefined || this.#parts.length === 0 ? this.#fallback : this.#parts;
  }

  /** The text of a file in the folder of the document. */
  readBeside(name: string): string | undefined {
    const path = this.context.files.resolveInside(this.folder, name);
    return path === undefined ? undefined : this.context.files.read(path);
  }

  getModel(region: ScriptRegion): ScriptModel {
    let model = this.#models.get(region);
    if (model === undefined)
      this.#models.set(
        region,
        (model = new ScriptModel(region.text, this.getModelOptions(region))),
      );
    return model;
  }

  /** The surroundings of a script: the arguments of its tool, and the files that it loads. */
  getModelOptions({ options }: ScriptRegion): ModelOptions {
    const { owner } = options;
    const part =
      owner === undefined
        ? this.#owningPart()
        : this.parts.find(({ fields }) => isSamePath(fields.path, owner));
    const artifact = options.kind === "condition" ? undefined : part?.artifact;
    return {
      ...options,
      ...(artifact !== undefined && { dialect: artifact.dialect }),
      ...(artifact?.kind === "tool" && { inputSchema: artifact.inputSchema }),
      functions: this.context.testFunctions,
      load: (name) => this.loaded(name)?.mainModel,
    };
  }

  /** The file behind `load(name, …)`. */
  loaded(name: string): LanguageDocument | undefined {
    if (!name.endsWith(".star")) return undefined;
    const path = this.context.files.resolveInside(this.folder, name);
    return path === undefined || path === this.path ? undefined : this.context.documentAt(path);
  }

  /** The model of a program. */
  get mainModel(): ScriptModel | undefined {
    const [region] = this.regions;
    return this.kind === "star" && region !== undefined ? this.getModel(region) : undefined;
  }

  offsetAt(position: Position): number {
    return this.source.offsetAt(position);
  }

  range(start: number, end: number): Range {
    return { start: this.source.positionAt(start), end: this.source.positionAt(end) };
  }

  /** The range in the document of a range in a script. */
  scriptRange(region: ScriptRegion, start: number, end: number): Range {
    return this.range(region.toDocument(start), region.toDocument(end));
  }

  /** The fence that `script: "#name"` names. */
  fence(name: string): Fence | undefined {
    const { bodyStart } = this.outline;
    const line = this.source.positionAt(bodyStart).line + 1;
    return readFences(this.text.slice(bodyStart), line).find((fence) => fence.name === name);
  }

  /** The part of the markdown file whose `script_file` this program is. */
  #owningPart(): ArtifactPart | undefined {
    const owner = this.owner;
    return owner?.parts.find(
      ({ artifact }) => artifact.kind !== "hook" || artifact.script.text !== "",
    );
  }

  /** The markdown file whose `script_file` this program is. */
  get owner(): LanguageDocument | undefined {
    const path = this.context.files.getOwner(this.path);
    return path === undefined ? undefined : this.context.documentAt(path);
  }

  #findRegions(): readonly ScriptRegion[] {
    if (this.kind === "star") {
      const kind = this.path.endsWith(".test.star")
        ? "test"
        : (this.#owningPart()?.artifact.kind ?? (isHookProgram(this.text) ? "hook" : "tool"));
      return [ScriptRegion.ofDocument(this.text, { kind })];
    }
    if (this.kind === undefined) return [];
    return this.outline.entries.flatMap((entry) => {
      const region = this.#toRegion(entry);
      return region === undefined ? [] : [region];
    });
  }

  #toRegion(entry: OutlineEntry): ScriptRegion | undefined {
    const options = this.#regionOptions(entry);
    if (options === undefined) return undefined;
    const { block, valueRange } = entry;
    if (block !== undefined)
      return ScriptRegion.ofLines(this.text, block.range, block.indentation, options);
    let [start, end] = valueRange;
    const written = this.text.slice(start, end);
    const name = /^["']?#([^\s"']+)["']?$/.exec(written)?.[1];
    const fence = name === undefined ? undefined : this.fence(name);
    if (fence !== undefined) {
      const from = this.source.offsetAt({ line: fence.line - 1, character: 0 });
      const lines = Math.max(fence.text.split("\n").length - 2, 0);
      const last = this.source.offsetAt({ line: fence.line + lines, character: 0 });
      const to = fence.text === "" ? from : Math.max(from, last - 1);
      return ScriptRegion.ofLines(this.text, [from, to], fence.column - 1, options);
    }
    if (name !== undefined) return undefined;
    const quote = /^["']/.exec(written)?.[0];
    // Blanks at the end of the line belong to an expression that is being written.
    if (quote === undefined) end += /^[ \t]*/.exec(this.text.slice(end))?.[0].length ?? 0;
    else {
      start++;
      if (end > start && this.text[end - 1] === quote) end--;
    }
    return ScriptRegion.ofLines(this.text, [start, end], 0, options);
  }

  #regionOptions({ key, path }: OutlineEntry): ScriptRegion["options"] | undefined {
    const owner = path.slice(0, -1);
    const [list] = owner;
    const isEntry = owner.length === 2 && (list === "tools" || list === "hooks");
    if (owner.length !== 0 && !isEntry) return undefined;
    const kind = isEntry ? (list === "tools" ? "tool" : "hook") : this.kind;
    if (key === "script" && (kind === "tool" || kind === "hook")) return { kind, owner };
    if (key === "when" && kind === "hook")
      return { kind: "condition", owner, names: conditionNames.hook };
    if (key === "condition" && kind === "bundle")
      return { kind: "condition", owner, names: conditionNames.bundle };
    return undefined;
  }
}

/** Whether a program has the function of a hook, and not that of a tool. */
function isHookProgram(text: string): boolean {
  return /^def handle\(/m.test(text) && !/^def run\(/m.test(text);
}

function isSamePath(left: ValuePath, right: ValuePath): boolean {
  return left.length === right.length && left.every((key, index) => key === right[index]);
}
