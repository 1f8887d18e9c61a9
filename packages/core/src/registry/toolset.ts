import type { Tool } from "../spec/tool.ts";
import type { ToolSpec } from "../spec/tool-spec.ts";
import { globMatcher } from "./glob.ts";

/** A tool as the registry holds it. */
export interface RegisteredTool {
  readonly tool: Tool;
  /** The id of its source; `host` for tools that host code added itself. */
  readonly source: string;
  /** Its annotations may loosen a decision. */
  readonly trusted: boolean;
}

/** Which tools of a registry a turn gets. */
export interface ToolSelection {
  /** Globs over names; absent: all. */
  readonly include?: readonly string[];
  /** Globs over names, taken away afterwards. */
  readonly exclude?: readonly string[];
}

/**
 * An immutable snapshot of tools for one turn, ordered by name. What is in it may be called; what
 * is not may not.
 */
export class Toolset implements Iterable<Tool> {
  /** The registry's version when the snapshot was made. */
  readonly version: number;
  readonly #entries: ReadonlyMap<string, RegisteredTool>;
  #specs: readonly ToolSpec[] | undefined;

  /** @param entries ordered by name. */
  constructor(version: number, entries: ReadonlyMap<string, RegisteredTool>) {
    this.version = version;
    this.#entries = entries;
  }

  /** How many tools there are. */
  get size(): number {
    return this.#entries.size;
  }

  /** The tool of that name. */
  get(name: string): Tool | undefined {
    return this.#entries.get(name)?.tool;
  }

  /** The tool of that name with what the registry knows of it. */
  entry(name: string): RegisteredTool | undefined {
    return this.#entries.get(name);
  }

  /** All tools with what the registry knows of them, by name. */
  entries(): IterableIterator<RegisteredTool> {
    return this.#entries.values();
  }

  /** The names, in order. */
  names(): IterableIterator<string> {
    return this.#entries.keys();
  }

  /** The descriptions, in order of name. Schemas stay unrealised until read. */
  specs(): readonly ToolSpec[] {
    return (this.#specs ??= Array.from(this.#entries.values(), ({ tool }) => tool.spec));
  }

  /** The snapshot with only the entries that `keep` accepts; itself when that is all. */
  filter(keep: (entry: RegisteredTool) => boolean): Toolset {
    const kept = new Map<string, RegisteredTool>();
    for (const [name, entry] of this.#entries) if (keep(entry)) kept.set(name, entry);
    return kept.size === this.#entries.size ? this : new Toolset(this.version, kept);
  }

  /** The part of the snapshot that `selection` names. */
  select(selection: ToolSelection): Toolset {
    const { include, exclude } = selection;
    const included = include === undefined ? () => true : globMatcher(include);
    const excluded = globMatcher(exclude ?? []);
    return this.filter(({ tool: { spec } }) => included(spec.name) && !excluded(spec.name));
  }

  /** The tools, in order of name. */
  *[Symbol.iterator](): IterableIterator<Tool> {
    for (const { tool } of this.#entries.values()) yield tool;
  }
}
