import { builtInSource } from "../contract/tool-names.ts";
import type { Tool, RegisteredTool, Toolset, ToolSelection } from "../contract/tool.ts";
import type { ToolSpec } from "../contract/tool-spec.ts";
import { selectorOf, withinTokens } from "./tool-selection.ts";

/** The toolset that a registry gives; other packages make their own of entries. */
export class ToolsetSnapshot implements Toolset {
  /** The registry's version when the snapshot was made. */
  readonly version: number;
  /** The tools that may be called although they are not listed; it may contain listed tools, too. */
  readonly searchable: Toolset | undefined;
  readonly #entries: ReadonlyMap<string, RegisteredTool>;
  #specs: readonly ToolSpec[] | undefined;
  #hasTasks: boolean | undefined;

  /**
   * @param entries ordered by name.
   * @param hasTasks some tool continues as a task on its own. Absent: computed.
   */
  constructor(
    version: number,
    entries: ReadonlyMap<string, RegisteredTool>,
    searchable?: Toolset,
    hasTasks?: boolean,
  ) {
    this.#hasTasks = hasTasks;
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

  /** The names of the listed tools, in order. */
  names(): IterableIterator<string> {
    return this.#entries.keys();
  }

  /** The names of all tools that may be called: first the listed ones. */
  *callableNames(): IterableIterator<string> {
    yield* this.#entries.keys();
    for (const name of this.searchable?.callableNames() ?? []) {
      if (!this.#entries.has(name)) yield name;
    }
  }

  /** The descriptions of the listed tools, in order of name. Schemas stay unrealised until read. */
  specs(): readonly ToolSpec[] {
    if (this.#specs === undefined) {
      const specs: ToolSpec[] = [];
      for (const { tool } of this.#entries.values()) specs.push(tool.spec);
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
    return new ToolsetSnapshot(this.version, kept ?? this.#entries, searchable, hasTasks);
  }

  /**
   * The part of the snapshot that `selection` names. A budget counts the listed tools.
   *
   * @throws ToolError `internal` for an invalid selection.
   */
  select(selection: ToolSelection): Toolset {
    const named = this.filter(selectorOf(selection));
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
    return kept === undefined ? this : new ToolsetSnapshot(this.version, kept, this.searchable);
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
    return new ToolsetSnapshot(this.version, byName(all), this.searchable);
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
      else kept ??= firstOf(this.#entries, index);
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

function firstOf<Value>(entries: ReadonlyMap<string, Value>, count: number): Map<string, Value> {
  const first = new Map<string, Value>();
  for (const [name, entry] of entries) {
    if (first.size === count) break;
    first.set(name, entry);
  }
  return first;
}
