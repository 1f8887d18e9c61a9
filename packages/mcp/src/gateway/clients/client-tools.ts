import type { Caller, ToolExecutor, ToolRun, ToolSearch, Toolset } from "@toolweave/core";
import { toolSearch } from "@toolweave/core/search";
import { callerKey } from "./caller-key.ts";

/** `auto` searches from here on. */
const mostListed = 100;
/** Callers whose tools are kept ready. */
const mostCallers = 1_000;

interface Lists {
  readonly all: ToolRun;
  searching: ToolRun | undefined;
}

/** What each caller is shown of a registry: all that the policy may let run, or the tools to search it with. */
export class ClientTools {
  readonly #executor: ToolExecutor;
  readonly #search: boolean | "auto";
  readonly #lists = new Map<string, Lists>();
  #toolSearch: ToolSearch | undefined;

  constructor(executor: ToolExecutor, search: boolean | "auto") {
    this.#executor = executor;
    this.#search = search;
  }

  /** The same object as long as nothing has changed. */
  of(caller: Caller | undefined): Toolset {
    const lists = this.#listsOf(caller);
    const all = lists.all.freezeToolset();
    const searches = this.#search === "auto" ? all.size > mostListed : this.#search;
    if (!searches) return all;
    lists.searching ??= this.#executor.startRun({
      ...(caller === undefined ? {} : { caller }),
      search: (this.#toolSearch ??= toolSearch({ form: "constant" })),
    });
    return lists.searching.freezeToolset();
  }

  /** Resolves when a tool is there, or no source that is still loading can bring it, or nobody waits any more. */
  async there(caller: Caller | undefined, name: string, signal: AbortSignal): Promise<void> {
    const { registry } = this.#executor;
    const isThere = (): boolean => this.of(caller).callable(name) !== undefined;
    if (!registry.loading || signal.aborted || isThere()) return;
    await new Promise<void>((resolve) => {
      const end = (): void => {
        forget();
        signal.removeEventListener("abort", end);
        resolve();
      };
      const forget = registry.onChange(() => {
        if (isThere()) end();
      });
      signal.addEventListener("abort", end);
      void registry.ready.then(end);
    });
  }

  #listsOf(caller: Caller | undefined): Lists {
    const key = callerKey(caller);
    let lists = this.#lists.get(key);
    if (lists === undefined) {
      const all = this.#executor.startRun(caller === undefined ? {} : { caller });
      this.#lists.set(key, (lists = { all, searching: undefined }));
      const [oldest] = this.#lists.keys();
      if (this.#lists.size > mostCallers) this.#lists.delete(oldest as string);
    }
    return lists;
  }
}
