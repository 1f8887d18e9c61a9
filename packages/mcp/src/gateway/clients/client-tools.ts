import type { Caller, ToolExecutor, ToolRun, Toolset } from "@toolweave/core";
import type { ToolSearch } from "@toolweave/core/adapter";
import { toolSearch } from "@toolweave/core/search";
import { toCallerKey } from "./gateway-client.ts";

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
  readonly #lists = new Map<string, CallerToolsets>();
  #toolSearch: ToolSearch | undefined;

  constructor(executor: ToolExecutor, search: boolean | "auto") {
    this.#executor = executor;
    this.#search = search;
  }

  /** Returns the toolset of a caller: the same object until a tool changes. */
  forCaller(caller: Caller | undefined): Toolset {
    const lists = this.#toolsetsOf(caller);
    const all = lists.all.freezeToolset();
    const searches = this.#search === "auto" ? all.size > maxListed : this.#search;
    if (!searches) return all;
    lists.searching ??= this.#executor.startRun({
      ...(caller === undefined ? {} : { caller }),
      search: (this.#toolSearch ??= toolSearch({ form: "constant" })),
    });
    return lists.searching.freezeToolset();
  }

  /** Resolves when the tool exists, no loading source can add it any more, or the signal is aborted. */
  async waitForTool(caller: Caller | undefined, name: string, signal: AbortSignal): Promise<void> {
    const { registry } = this.#executor;
    const exists = (): boolean => this.forCaller(caller).callable(name) !== undefined;
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

  #toolsetsOf(caller: Caller | undefined): CallerToolsets {
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
