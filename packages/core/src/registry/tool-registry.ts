import { ToolError } from "../contract/tool-error.ts";
import type { SecretSet } from "../redaction/secret-set.ts";
import { builtInSource, isBuiltInName, hostSource } from "../contract/tool-names.ts";
import { isThenable } from "../json/json.ts";
import type { Tool, ToolSelection, RegisteredTool, Toolset } from "../contract/tool.ts";
import {
  type CollectedTools,
  type RegistryProblem,
  type Slot,
  closeAll,
  collectTools,
  getSlot,
} from "./collect-tools.ts";
import { diffTools, isSameEntries, type RegistryDiff } from "./registry-diff.ts";
import { SourceLoading } from "./source-loading.ts";
import {
  failedError,
  loadError,
  loadingError,
  type ProblemListener,
  RegistryProblems,
} from "./registry-problems.ts";
import type { SourceProblem, ToolSource } from "./tool-source.ts";
import { listSources, whenReady, type RegisteredSource } from "./registered-source.ts";
import { byName, ToolsetSnapshot } from "./toolset-snapshot.ts";
import { unusableTools } from "./unusable-tools.ts";
import { isList, isSource, isTool, noToolHint } from "./registry-input.ts";
import { checkOptions } from "../contract/check-options.ts";
import { callback } from "../contract/option-checks.ts";

/** The input of a registry: a tool, a source, a promise of a source, or a list of them. */
export type RegistryInput = Tool | ToolSource | PromiseLike<ToolSource> | readonly RegistryInput[];

/** Options of a registry. */
export interface RegistryOptions {
  /**
   * Receives each source that cannot be loaded, and each description that cannot become a tool, as soon as it is known.
   * Warnings are not passed. Default: sources that cannot be loaded are one process warning
   * (`TOOLWEAVE_SOURCES_FAILED`); everything is in `problems`.
   */
  readonly onProblem?: ProblemListener;
}

/** A source that is still being made, and whose it will be: a merge may change that. */
interface PromisedSource {
  home: ToolRegistry;
}

/**
 * Named tools from any number of sources: unique names, always in the same order, versioned. It
 * owns its sources and closes them.
 */
export class ToolRegistry {
  #slots: Slot[] = [];
  #entries: ReadonlyMap<string, RegisteredTool> = new Map();
  #hasTasks = false;
  /** The tool of each name, once all sources that are loading have listed their tools. */
  #held: ReadonlyMap<string, RegisteredTool> = new Map();
  #quarantined: readonly RegistryProblem[] = [];
  readonly #listeners = new Set<(diff: RegistryDiff) => void>();
  readonly #loading = new SourceLoading();
  readonly #problems: RegistryProblems;
  #all: ToolsetSnapshot | undefined;
  readonly #promised = new Set<PromisedSource>();
  #secrets: readonly SecretSet[] = [];
  #version = 0;
  #closed = false;

  /**
   * @throws ToolError `invalid_configuration` when two tools that are there at once have one name, or a name is
   * not canonical. A duplicate that a source brings later is quarantined in `problems`.
   */
  constructor(inputs: readonly RegistryInput[] = [], options: RegistryOptions = {}) {
    checkOptions("new ToolRegistry", options, { onProblem: callback });
    this.#problems = new RegistryProblems(options.onProblem);
    this.add(inputs);
  }

  /** Grows by one with every change. */
  get version(): number {
    return this.#version;
  }

  /** True while a source has not listed its tools yet. */
  get loading(): boolean {
    return this.#loading.isPending;
  }

  /**
   * Resolves when every source has loaded or failed. It never rejects: what failed is in
   * `problems`, and the other sources' tools work.
   */
  get ready(): Promise<void> {
    return this.#loading.settle();
  }

  /**
   * Resolves when every source has loaded and every tool can be listed. Creates the schemas of all tools.
   *
   * @returns the registry, so that it can be made and loaded in one expression.
   * @throws ToolError `unavailable` (by rejecting) when there is a problem that is not a warning: a source that could
   * not be loaded, a description that could not become a tool. The text lists them, and the other tools work.
   */
  async load(): Promise<this> {
    this.#problems.silence();
    await this.#loading.settle();
    if (this.#unlisted() === undefined) this.toolset().specs();
    const problems = this.#failures();
    if (problems.length > 0) throw loadError(problems, this.size > 0);
    return this;
  }

  /**
   * Resolves when calls of these names need not wait: every source has listed its tools; or the names are there, or in
   * the host's own toolset, and the others have had a second. A source that loads later cannot take a name that is
   * already registered.
   *
   * @internal
   */
  async whenThere(names: readonly string[], given?: Toolset): Promise<void> {
    const isThere = (name: string): boolean =>
      this.#entries.has(name) || given?.entry(name) !== undefined || isBuiltInName(name);
    await this.#loading.whenThere(() => names.every(isThere));
  }

  /** The descriptions that could not become a tool, by source. */
  get problems(): readonly RegistryProblem[] {
    return this.#problemsBy((source) => source.problems);
  }

  /** The sources that could not be loaded. */
  get failedSources(): readonly RegistryProblem[] {
    return this.#problems.failed;
  }

  /** The sources, in the order in which they were added. A source that is still being made is not among them. */
  get sources(): readonly RegisteredSource[] {
    return listSources(this.#slots, this.#entries, this.#problems.failed);
  }

  /** The credentials that the sources hold. The same array while no source is added or removed. */
  get secrets(): readonly SecretSet[] {
    return this.#secrets;
  }

  /** How many tools there are now. */
  get size(): number {
    return this.#entries.size;
  }

  /** The tool of that name. */
  get(name: string): Tool | undefined {
    return this.#entries.get(name)?.tool;
  }

  /** A snapshot of the tools as they are now, all of them or the selected ones. */
  toolset(selection?: ToolSelection): Toolset {
    const unlisted = this.#unlisted();
    if (this.#all === undefined || this.#all.unlisted?.code !== unlisted?.code) {
      const entries = byName(this.#entries);
      this.#all = new ToolsetSnapshot(this.#version, entries, undefined, this.#hasTasks, unlisted);
    }
    return selection === undefined ? this.#all : this.#all.select(selection);
  }

  /**
   * Adds tools and sources. Nothing is added when one of them cannot be.
   *
   * @throws ToolError `invalid_configuration` on a duplicate or a name that is not canonical among the tools
   * that are there at once; the text names both provenances and the `prefix` line to write.
   */
  add(...inputs: readonly RegistryInput[]): this {
    if (this.#closed) throw misuse("This registry is closed.");
    const slots: Slot[] = [];
    const promised: PromiseLike<ToolSource>[] = [];
    const host: Tool[] = [];
    const sort = (input: RegistryInput): void => {
      if (isList(input)) input.forEach(sort);
      else if (isThenable<ToolSource | Tool>(input))
        promised.push(input as PromiseLike<ToolSource>);
      else if (isSource(input)) slots.push(this.#getSlot(input));
      else if (isTool(input)) host.push(input);
      else throw misuse(`A registry takes tools, sources and lists of them${noToolHint(input)}.`);
    };
    inputs.forEach(sort);
    if (host.length > 0) {
      slots.unshift({ id: hostSource, trusted: true, tools: () => host, stop: () => {} });
    }
    this.#attach(slots);
    for (const promise of promised) {
      const expected = { home: this };
      this.#promised.add(expected);
      this.#load(this.#adopt(promise, expected));
    }
    return this;
  }

  /**
   * Removes a source (itself or its id), which is closed, or one of the tools that host code added. Resolves when the
   * source is closed.
   */
  async remove(target: ToolSource | Tool | string): Promise<void> {
    const gone = this.#slots.filter(
      ({ id, source }) => source !== undefined && (source === target || id === target),
    );
    this.#slots = this.#slots.filter((slot) => !gone.includes(slot));
    for (const slot of gone.length > 0 ? [] : this.#slots) {
      if (slot.source !== undefined) continue;
      const kept = slot.tools().filter((tool) => tool !== target && tool.spec.name !== target);
      slot.tools = () => kept;
    }
    for (const slot of gone) slot.stop();
    for (const { id } of gone) this.#problems.forgive(id);
    this.#rebuild();
    try {
      await closeAll(gone);
    } finally {
      // Not earlier: calls that were in progress may have used them until now.
      const held = new Set(this.#slots.map(({ source }) => source?.secrets));
      this.#secrets = this.#secrets.filter((secrets) => held.has(secrets));
    }
  }

  /**
   * Takes over everything that `other` holds, which is empty afterwards.
   *
   * @throws ToolError `invalid_configuration` on a duplicate; nothing has moved then.
   */
  merge(other: ToolRegistry): this {
    if (this.#closed) throw misuse("This registry is closed.");
    const slots = other.#slots.map((slot) =>
      slot.source === undefined ? slot : this.#getSlot(slot.source),
    );
    this.#attach(slots);
    for (const slot of other.#slots) slot.stop();
    const ids = new Set(slots.map(({ id }) => id));
    this.#problems.takeOver(other.#problems, ids);
    for (const promised of other.#promised) {
      promised.home = this;
      this.#promised.add(promised);
    }
    if (other.loading) this.#load(other.#loading.settle());
    other.#promised.clear();
    other.#slots = [];
    other.#rebuild();
    return this;
  }

  /** Calls `listener` with one diff per change; returns what stops it. */
  onChange(listener: (diff: RegistryDiff) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Closes every source. Idempotent. */
  async close(): Promise<void> {
    this.#closed = true;
    const slots = this.#slots;
    this.#slots = [];
    for (const slot of slots) slot.stop();
    this.#rebuild();
    await closeAll(slots);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** The problems that are not warnings. */
  #failures(): readonly RegistryProblem[] {
    const all = this.#problemsBy((source) => source.failures ?? source.problems);
    return all.filter(({ severity }) => severity !== "warning");
  }

  #problemsBy(
    getProblems: (source: ToolSource) => readonly SourceProblem[] | undefined,
  ): readonly RegistryProblem[] {
    const ofSources = this.#slots.flatMap(({ id, source }) => {
      const problems = source === undefined ? [] : (getProblems(source) ?? []);
      return problems.map((problem) => ({ ...problem, source: id }));
    });
    return [
      ...this.#problems.failed,
      ...ofSources,
      ...this.#quarantined,
      ...unusableTools(this.#entries.values()),
    ];
  }

  #getSlot(source: ToolSource): Slot {
    if (source.id === builtInSource) {
      throw misuse(`A source cannot have the id "${builtInSource}": name it something else.`);
    }
    const { secrets } = source;
    if (secrets !== undefined && !this.#secrets.includes(secrets)) {
      this.#secrets = [...this.#secrets, secrets];
    }
    return {
      id: source.id,
      source,
      trusted: source.trustAnnotations === true,
      tools: () => source.tools(),
      stop: source.onChange(() => {
        this.#rebuild();
        // It has come up after all.
        const isUp = [...this.#entries.values()].some((entry) => getSlot(entry)?.source === source);
        if (isUp) this.#problems.forgive(source.id);
      }),
    };
  }

  #attach(slots: readonly Slot[]): void {
    const all = [...this.#slots, ...slots];
    const collected = collectTools(all, this.#held, this.#entries, slots);
    if (collected.refusal !== undefined) {
      for (const slot of slots) slot.stop();
      throw misuse(collected.refusal);
    }
    this.#slots = all;
    this.#take(collected);
    for (const { source } of slots) {
      if (source !== undefined) this.#load(this.#whenReady(source));
    }
  }

  async #adopt(promise: PromiseLike<ToolSource>, expected: PromisedSource): Promise<void> {
    let source: ToolSource;
    try {
      source = await promise;
    } catch (error) {
      return expected.home.#problems.fail("a source", error);
    } finally {
      expected.home.#promised.delete(expected);
    }
    const { home } = expected;
    if (home.#closed) return source.close();
    home.#slots.push(home.#getSlot(source));
    await home.#whenReady(source);
  }

  async #whenReady(source: ToolSource): Promise<void> {
    try {
      await whenReady(source);
    } catch (error) {
      // The failure of a source that was removed meanwhile is no problem any more.
      if (this.#slots.some((slot) => slot.source === source)) this.#problems.fail(source.id, error);
    }
    if (!this.#closed) this.#rebuild();
  }

  #load(loading: Promise<void>): void {
    this.#loading.add(
      loading.catch((error: unknown) => this.#problems.fail("a source", error)),
      () => (this.#held = this.#entries),
      () => {
        this.#rebuild();
        if (!this.loading && !this.#closed) this.#problems.warn();
      },
    );
  }

  /** The reason for which a list of the tools would be empty by mistake. */
  #unlisted(): ToolError | undefined {
    if (this.#entries.size > 0) return undefined;
    if (this.loading) return loadingError();
    return this.#problems.failed.length > 0 ? failedError(this.#problems.failed) : undefined;
  }

  #rebuild(): void {
    this.#take(collectTools(this.#slots, this.#held, this.#entries));
    this.#problems.report(() => this.#failures());
  }

  #take({ entries, problems, hasTasks }: CollectedTools): void {
    this.#quarantined = problems;
    if (!this.#loading.isOrdered) this.#held = entries;
    const diff = diffTools(this.#entries, entries);
    // The same tools may be other objects: of a new connection, or available again.
    if (diff === undefined && isSameEntries(this.#entries, entries)) return;
    this.#entries = entries;
    this.#hasTasks = hasTasks;
    this.#all = undefined;
    if (diff === undefined) return;
    this.#version += 1;
    if (this.#listeners.size === 0) return;
    // By code unit, as all names are.
    for (const names of Object.values(diff)) names.sort();
    for (const listener of this.#listeners) {
      try {
        listener({ ...diff, version: this.#version });
      } catch {
        // An observer that throws changes nothing.
      }
    }
  }
}

function misuse(message: string): ToolError {
  return new ToolError("invalid_configuration", message);
}
