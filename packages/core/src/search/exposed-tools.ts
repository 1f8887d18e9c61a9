import { globMatcher } from "../text/glob.ts";
import type { RegisteredTool, Toolset } from "../contract/tool.ts";
import { byName, ToolsetSnapshot } from "../registry/toolset-snapshot.ts";

/** The maximum number of found tools that stay listed; the oldest are dropped first. */
const maxFound = 50;

/** The tools that are listed for a model that searches: the permanent ones, and those that it has found. */
export class ExposedTools {
  readonly #isAlways: (name: string) => boolean;
  readonly #grows: boolean;
  /** Names, the oldest first. */
  readonly #found = new Set<string>();
  /** A found tool is not listed yet. */
  #hasNew = false;
  #turn = 0;
  #all: Toolset | undefined;
  #whole: Toolset | undefined;
  #always: readonly string[] = [];
  #listedNames: readonly string[] = [];
  #exposed: Toolset | undefined;

  constructor(always: readonly string[], form: "growing" | "constant") {
    this.#isAlways = globMatcher(always);
    this.#grows = form === "growing";
  }

  /** The tool of that name, listed or not. */
  entry(name: string): RegisteredTool | undefined {
    return this.#whole?.entry(name);
  }

  /** The number of tools, listed or not. */
  get size(): number {
    return this.#whole?.size ?? 0;
  }

  /** All names, for a hint. */
  names(): Iterable<string> {
    return this.#whole?.callableNames() ?? [];
  }

  /** Lists these from the next turn on. */
  add(names: readonly string[]): void {
    if (!this.#grows) return;
    for (const name of names) {
      if (this.#isAlways(name)) continue;
      this.#found.delete(name);
      this.#found.add(name);
      this.#hasNew = true;
    }
    for (const oldest of this.#found) {
      if (this.#found.size <= maxFound) break;
      this.#found.delete(oldest);
    }
  }

  /** See `RunSearch.expose`. */
  expose(all: Toolset, turn: number): Toolset {
    if (all !== this.#all) this.#follow(all);
    // Within one turn the list does not change; if the host reports no turns, every list is a turn.
    if (this.#hasNew && (turn === 0 || turn !== this.#turn)) {
      this.#hasNew = false;
      this.#listedNames = [...this.#found];
      this.#exposed = undefined;
    }
    this.#turn = turn;
    return (this.#exposed ??= this.#made(all.version));
  }

  #follow(all: Toolset): void {
    const whole = all.whole();
    this.#all = all;
    this.#whole = whole;
    this.#exposed = undefined;
    this.#always = Array.from(whole.callableNames()).filter(this.#isAlways);
  }

  #made(version: number): Toolset {
    const listed = new Map<string, RegisteredTool>();
    for (const name of [...this.#always, ...this.#listedNames]) {
      const entry = this.entry(name);
      if (entry !== undefined) listed.set(name, entry);
    }
    return new ToolsetSnapshot(version, byName(listed), this.#whole);
  }
}
