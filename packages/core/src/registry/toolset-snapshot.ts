import { builtInSource } from "../contract/tool-names.ts";
import type { Tool, RegisteredTool, Toolset, ToolSelection } from "../contract/tool.ts";
import type { ToolSpec } from "../contract/tool-spec.ts";
import { checkOptions, isAtLeastZero } from "../contract/check-options.ts";
import { annotationsCondition } from "../policy/conditions/annotations.ts";
import { certain, type Test } from "../policy/conditions/condition.ts";
import { provenanceCondition } from "../policy/conditions/provenance.ts";
import type { AnnotationCondition, ProvenanceCondition } from "../contract/policy-definition.ts";
import { formatValue } from "../text/format-value.ts";
import { ToolError } from "../contract/tool-error.ts";
import { globMatcher } from "../text/glob.ts";
import { isUsable } from "./unusable-tools.ts";

/** The toolset that a registry gives; other packages make their own of entries. */
export class ToolsetSnapshot implements Toolset {
  /** The registry's version when the snapshot was made. */
  readonly version: number;
  /** The tools that may be called although they are not listed; it may contain listed tools, too. */
  readonly searchable: Toolset | undefined;
  /**
   * The reason for which a list of the tools would be empty by mistake: no source has loaded.
   *
   * @internal
   */
  readonly unlisted: ToolError | undefined;
  readonly #entries: ReadonlyMap<string, RegisteredTool>;
  #specs: readonly ToolSpec[] | undefined;
  #hasTasks: boolean | undefined;

  /**
   * @param entries ordered by name.
   * @param hasTasks some tool continues as a task on its own. Absent: computed.
   * @param unlisted see `unlisted`.
   */
  constructor(
    version: number,
    entries: ReadonlyMap<string, RegisteredTool>,
    searchable?: Toolset,
    hasTasks?: boolean,
    unlisted?: ToolError,
  ) {
    this.#hasTasks = hasTasks;
    this.unlisted = unlisted;
    this.version = version;
    this.#entries = entries;
    this.searchable = searchable;
  }

  /** The number of listed tools. */
  get size(): number {
    return this.#entries.size;
  }

  /** The listed tool of that name. */
  get(name: string): Tool | undefined {
    return this.#entries.get(name)?.tool;
  }

  /** The listed tool of that name with its registration. */
  entry(name: string): RegisteredTool | undefined {
    return this.#entries.get(name);
  }

  /** The tool that a call of that name runs: a listed one, or one that is only searchable. */
  callable(name: string): RegisteredTool | undefined {
    return this.#entries.get(name) ?? this.searchable?.callable(name);
  }

  /** All listed tools with their registrations, by name. */
  entries(): IterableIterator<RegisteredTool> {
    return this.#entries.values();
  }

  /**
   * The names of the listed tools, in order.
   *
   * @throws ToolError as `specs`.
   */
  names(): IterableIterator<string> {
    if (this.unlisted !== undefined) throw this.unlisted;
    return this.#entries.keys();
  }

  /** The names of all tools that may be called: first the listed ones. */
  *callableNames(): IterableIterator<string> {
    yield* this.#entries.keys();
    for (const name of this.searchable?.callableNames() ?? []) {
      if (!this.#entries.has(name)) yield name;
    }
  }

  /**
   * The descriptions of the listed tools, in order of name. A tool whose input schema cannot be used is left out; from
   * then on, it is in the `problems` of its registry.
   *
   * @throws ToolError `unavailable` when no source of the registry could be loaded; `invalid_configuration` when none has
   * loaded yet. A registry that has tools, or no sources, throws neither.
   */
  specs(): readonly ToolSpec[] {
    if (this.unlisted !== undefined) throw this.unlisted;
    if (this.#specs === undefined) {
      const specs: ToolSpec[] = [];
      for (const { tool } of this.#entries.values()) if (isUsable(tool.spec)) specs.push(tool.spec);
      this.#specs = specs;
    }
    return this.#specs;
  }

  /**
   * Some tool that may be called continues as a task on its own.
   *
   * @internal
   */
  get hasTasks(): boolean {
    return (this.#hasTasks ??= this.#findTask());
  }

  /** The snapshot with only the tools that `keep` accepts, listed or not; itself if it accepts all. */
  filter(keep: (entry: RegisteredTool) => boolean): Toolset {
    const searchable = this.searchable?.filter(keep);
    const kept = this.#kept(keep);
    if (kept === undefined && searchable === this.searchable) return this;
    // An omitted tool may have been the only task; omission adds none.
    const hasTasks = this.#hasTasks === false ? false : undefined;
    return new ToolsetSnapshot(
      this.version,
      kept ?? this.#entries,
      searchable,
      hasTasks,
      this.unlisted,
    );
  }

  /**
   * The part of the snapshot that `selection` names. A budget counts the listed tools.
   *
   * @throws ToolError `invalid_configuration` for an invalid selection.
   */
  select(selection: ToolSelection): Toolset {
    const named = this.filter(compileSelection(selection));
    if (selection.maxTokens === undefined) return named;
    return named.filterListed(withinTokens(selection.maxTokens));
  }

  /**
   * The snapshot without those of the listed tools that `keep` is false for; they can still be searched for.
   *
   * @internal
   */
  filterListed(keep: (entry: RegisteredTool) => boolean): Toolset {
    const kept = this.#kept(keep);
    return kept === undefined
      ? this
      : new ToolsetSnapshot(this.version, kept, this.searchable, undefined, this.unlisted);
  }

  /**
   * The snapshot with further listed tools; they replace tools of the same names.
   *
   * @internal
   */
  with(added: readonly RegisteredTool[]): Toolset {
    if (added.length === 0) return this;
    const all = new Map(this.#entries);
    for (const entry of added) all.set(entry.tool.spec.name, entry);
    return new ToolsetSnapshot(
      this.version,
      byName(all),
      this.searchable,
      undefined,
      this.unlisted,
    );
  }

  /** The listed tools, in order of name. */
  *[Symbol.iterator](): IterableIterator<Tool> {
    for (const { tool } of this.#entries.values()) yield tool;
  }

  /** `undefined`: all of them. */
  #kept(keep: (entry: RegisteredTool) => boolean): Map<string, RegisteredTool> | undefined {
    // Usually all are kept, and a map of many is costly to make: it is made when the first is omitted.
    let kept: Map<string, RegisteredTool> | undefined;
    let index = 0;
    for (const [name, entry] of this.#entries) {
      if (keep(entry)) kept?.set(name, entry);
      else kept ??= takeFirst(this.#entries, index);
      index += 1;
    }
    return kept;
  }

  /**
   * All tools that may be called as one toolset, without the listed built-in tools.
   *
   * @internal
   */
  whole(): Toolset {
    if (this.searchable === undefined) return this;
    const whole = this.searchable.whole();
    const more: RegisteredTool[] = [];
    for (const [name, entry] of this.#entries) {
      if (entry.source !== builtInSource && whole.entry(name) !== entry) more.push(entry);
    }
    return whole.with(more);
  }

  #findTask(): boolean {
    for (const { tool } of this.#entries.values()) if (tool.spec.execution === "task") return true;
    return this.searchable?.hasTasks === true;
  }
}

/** Ordered by name; itself when it is already. */
export function byName(
  entries: ReadonlyMap<string, RegisteredTool>,
): ReadonlyMap<string, RegisteredTool> {
  let last = "";
  for (const name of entries.keys()) {
    if (name < last) return sorted(entries);
    last = name;
  }
  return entries;
}

/** By code unit: without a function to compare with, sorting takes a third of the time. */
function sorted<Value>(entries: ReadonlyMap<string, Value>): Map<string, Value> {
  const byName = new Map<string, Value>();
  for (const name of Array.from(entries.keys()).sort()) {
    byName.set(name, entries.get(name) as Value);
  }
  return byName;
}

function takeFirst<Value>(entries: ReadonlyMap<string, Value>, count: number): Map<string, Value> {
  const first = new Map<string, Value>();
  for (const [name, entry] of entries) {
    if (first.size === count) break;
    first.set(name, entry);
  }
  return first;
}

const selectionKeys: readonly string[] = [
  "include",
  "exclude",
  "annotations",
  "provenance",
  "maxTokens",
] satisfies readonly (keyof ToolSelection)[];

/**
 * Whether a tool meets all conditions of a selection but its budget.
 *
 * @throws ToolError `invalid_configuration` for an invalid selection.
 */
function compileSelection(selection: ToolSelection): (entry: RegisteredTool) => boolean {
  checkOptions("toolset selection", selection, selectionKeys);
  const { include, exclude, annotations, provenance, maxTokens } = selection;
  if (maxTokens !== undefined && !isAtLeastZero(maxTokens)) {
    throw misuse(`maxTokens is ${formatValue(maxTokens)}; use 0 or more.`);
  }
  const included =
    include === undefined ? undefined : globMatcher(checkedGlobs("include", include));
  const excluded =
    exclude === undefined ? undefined : globMatcher(checkedGlobs("exclude", exclude));
  const isMeant = compileCondition(annotations, provenance);
  return (entry) => {
    const { name } = entry.tool.spec;
    return included?.(name) !== false && excluded?.(name) !== true && isMeant(entry);
  };
}

/** Matches as a policy's `allow` would, so that an untrusted claim selects nothing. */
function compileCondition(
  annotations: AnnotationCondition | undefined,
  provenance: ProvenanceCondition | undefined,
): (entry: RegisteredTool) => boolean {
  const tests: Test<RegisteredTool>[] = [];
  if (annotations !== undefined) {
    annotationsCondition.check("selection.annotations", annotations);
    tests.push(annotationsCondition.compile(annotations));
  }
  if (provenance !== undefined) {
    provenanceCondition.check("selection.provenance", provenance);
    tests.push(provenanceCondition.compile(provenance));
  }
  return (entry) => tests.every((test) => test(entry) === certain);
}

function checkedGlobs(key: string, globs: unknown): readonly string[] {
  if (Array.isArray(globs) && globs.every((glob) => typeof glob === "string")) return globs;
  throw misuse(`${key} is ${formatValue(globs)}; use a list of names and globs.`);
}

function misuse(what: string): ToolError {
  return new ToolError("invalid_configuration", `toolset selection: ${what}`);
}

/** The shortest that a description can be: a name of one letter, and an object's schema. */
const minDescriptionLength = 3;

/** Accepts tools, asked in their order, as long as they fit into so many tokens together. */
function withinTokens(maxTokens: number): (entry: RegisteredTool) => boolean {
  let left = maxTokens * 4;
  return ({ tool: { spec } }) => {
    if (left < minDescriptionLength) return false;
    try {
      // Schemas are costly to make: not for what is too long without its own.
      let size = spec.name.length + spec.description.length;
      if (size <= left) size += JSON.stringify(spec.inputSchema).length;
      if (!(size <= left)) return false;
      left -= size;
      return true;
    } catch {
      // A tool whose description cannot be serialised cannot be listed.
      return false;
    }
  };
}
