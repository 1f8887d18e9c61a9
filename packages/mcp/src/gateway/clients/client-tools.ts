import type { Caller, ToolExecutor, ToolRun, Toolset } from "@toolweave/core";
import {
  builtInSource,
  byName,
  ToolsetSnapshot,
  type RegisteredTool,
  type ToolSearch,
} from "@toolweave/core/adapter";
import { toolSearch } from "@toolweave/core/search";
import { toCallerKey } from "./gateway-client.ts";
import type { GatewaySettings } from "./serve-options.ts";

/** Number of tools above which `auto` uses search. */
const maxListed = 100;
/** Maximum number of callers with a cached toolset. */
const maxCallers = 1_000;

interface CallerToolsets {
  readonly all: ToolRun;
  searching: ToolRun | undefined;
}

/** The tools that each caller receives of a registry: all that the policy may allow, or the search tools. */
export class ClientTools {
  readonly #executor: ToolExecutor;
  readonly #search: boolean | "auto";
  readonly #listed: GatewaySettings["listed"];
  readonly #forModel: boolean;
  /** Toolsets of which only some tools are listed, by the whole toolset. */
  readonly #narrowed = new WeakMap<Toolset, Toolset>();
  /** Toolsets with the tools for apps, by the toolset without them. */
  readonly #withApps = new WeakMap<Toolset, Toolset>();
  readonly #lists = new Map<string, CallerToolsets>();
  #toolSearch: ToolSearch | undefined;

  constructor(
    executor: ToolExecutor,
    { search, listed, forModel }: Pick<GatewaySettings, "search" | "listed" | "forModel">,
  ) {
    this.#executor = executor;
    this.#forModel = forModel === true;
    this.#search = search;
    this.#listed = listed;
  }

  /** Returns the toolset of a caller: the same object until a tool changes. */
  forCaller(caller: Caller | undefined): Toolset {
    const lists = this.#getToolsets(caller);
    const all = lists.all.freezeToolset();
    if (this.#listed?.only === true) return this.#narrow(all, this.#listed.names);
    const searches = this.#search === "auto" ? all.size > maxListed : this.#search;
    if (!searches) return all;
    lists.searching ??= this.#executor.startRun({
      ...(caller === undefined ? {} : { caller }),
      search: (this.#toolSearch ??= toolSearch({
        form: "constant",
        always: this.#listed?.names ?? [],
      })),
    });
    return lists.searching.freezeToolset();
  }

  /** Returns the toolset that a client with user interfaces lists: with the tools that only those may call. */
  withApps(caller: Caller | undefined): Toolset {
    const toolset = this.forCaller(caller);
    if (this.#forModel) return toolset;
    let withApps = this.#withApps.get(toolset);
    if (withApps === undefined) {
      const entries = new Map([...toolset.entries()].map((entry) => [entry.tool.spec.name, entry]));
      for (const entry of this.#executor.permitted(caller).entries()) {
        if (entry.tool.spec.visibility === "app") entries.set(entry.tool.spec.name, entry);
      }
      withApps = new ToolsetSnapshot(toolset.version, byName(entries), toolset.searchable);
      this.#withApps.set(toolset, withApps);
    }
    return withApps;
  }

  /** Returns the toolset of a client's call. Only a call of a tool for apps can use such tools. */
  forCall(caller: Caller | undefined, name: string): Toolset {
    const toolset = this.forCaller(caller);
    return toolset.callable(name) === undefined ? this.withApps(caller) : toolset;
  }

  /** Returns the tool that a client's call of that name runs. */
  find(caller: Caller | undefined, name: string): RegisteredTool | undefined {
    return this.forCall(caller, name).callable(name);
  }

  /** The toolset in which only the named and the built-in tools are listed. */
  #narrow(all: Toolset, names: readonly string[]): Toolset {
    let narrowed = this.#narrowed.get(all);
    if (narrowed === undefined) {
      const entries = new Map<string, RegisteredTool>();
      for (const entry of all.entries()) {
        const { name } = entry.tool.spec;
        if (names.includes(name) || entry.source === builtInSource) entries.set(name, entry);
      }
      narrowed = new ToolsetSnapshot(all.version, entries, all);
      this.#narrowed.set(all, narrowed);
    }
    return narrowed;
  }

  /** Resolves when the tool exists, no loading source can add it any more, or the signal is aborted. */
  async waitForTool(caller: Caller | undefined, name: string, signal: AbortSignal): Promise<void> {
    const { registry } = this.#executor;
    const exists = (): boolean => this.find(caller, name) !== undefined;
    if (!registry.loading || signal.aborted || exists()) return;
    await new Promise<void>((resolve) => {
      const end = (): void => {
        forget();
        signal.removeEventListener("abort", end);
        resolve();
      };
      const forget = registry.onChange(() => {
        if (exists()) end();
      });
      signal.addEventListener("abort", end);
      void registry.ready.then(end);
    });
  }

  #getToolsets(caller: Caller | undefined): CallerToolsets {
    const key = toCallerKey(caller);
    let lists = this.#lists.get(key);
    if (lists === undefined) {
      const all = this.#executor.startRun(caller === undefined ? {} : { caller });
      this.#lists.set(key, (lists = { all, searching: undefined }));
      const [oldest] = this.#lists.keys();
      if (this.#lists.size > maxCallers) this.#lists.delete(oldest as string);
    }
    return lists;
  }
}
