import type { Tool } from "../spec/tool.ts";
import type { Toolset } from "../registry/toolset.ts";

/** A tool that was found. */
export interface ToolMatch {
  readonly name: string;
  /** Above 0; comparable within one search only. */
  readonly score: number;
}

/** Finds tools by what they are about, in process and without a model. */
export class ToolIndex {
  #toolset: Toolset | undefined;
  #tools: ReadonlyMap<string, Tool> = new Map();

  /** How many tools are in the index. */
  get size(): number {
    return this.#tools.size;
  }

  /** Brings the index up to `tools`. Only what came, went or changed is read. */
  update(tools: Toolset): void {
    if (tools === this.#toolset) return;
    this.#toolset = tools;
    this.#tools = new Map(Array.from(tools.entries(), ({ tool }) => [tool.spec.name, tool]));
  }

  /**
   * The tools that a query is about, best first.
   *
   * @param limit the most to give.
   * @param keep only tools of these names.
   */
  search(query: string, limit: number, keep?: (name: string) => boolean): readonly ToolMatch[] {
    const words = query.slice(0, 2000).toLowerCase().split(/\W+/).filter(Boolean);
    return Array.from(this.#tools.values(), ({ spec: { name, description } }) => {
      const text = `${name} ${description}`.toLowerCase();
      return { name, score: words.filter((word) => text.includes(word)).length };
    })
      .filter(({ name, score }) => score > 0 && (keep === undefined || keep(name)))
      .sort((a, b) => b.score - a.score || (a.name < b.name ? -1 : 1))
      .slice(0, limit);
  }
}
