import type { AnnotationCondition, ProvenanceCondition } from "./policy-definition.ts";
import type { Tool } from "./tool.ts";
import type { ToolSpec } from "./tool-spec.ts";

/** A tool as the registry holds it. */
export interface RegisteredTool {
  readonly tool: Tool;
  /** The id of its source; `host` for tools that host code added itself. */
  readonly source: string;
  /** Its annotations may loosen a decision. */
  readonly trusted: boolean;
}

/** Which tools of a registry a turn gets. Every condition that is there has to hold. */
export interface ToolSelection {
  /** Globs over names; absent: all. */
  readonly include?: readonly string[];
  /** Globs over names, taken away afterwards. */
  readonly exclude?: readonly string[];
  /**
   * What the tools must say of themselves. A hint that is absent has MCP's default; a claim against
   * the default counts only when the tool's source is trusted, and selects nothing otherwise.
   */
  readonly annotations?: AnnotationCondition;
  /** Where they must come from. `source` is the id in the registry; `host`: the host's own tools. */
  readonly provenance?: ProvenanceCondition;
  /**
   * Tokens that the descriptions may take together, estimated as a quarter of the characters of name,
   * description and input schema. In order of name: what does not fit is left out, and a smaller one
   * behind it may fit.
   */
  readonly maxTokens?: number;
}

/**
 * An immutable snapshot of tools for one turn, ordered by name: the listed tools, which a model is given, and behind them,
 * where tools are searched for, tools that are not listed. Both can be called; nothing else can.
 */
export interface Toolset extends Iterable<Tool> {
  /** The registry's version when the snapshot was made. */
  readonly version: number;
  /** The tools that can be called without being listed; it may hold listed tools, too. */
  readonly searchable: Toolset | undefined;
  /** The number of listed tools. */
  readonly size: number;
  /** The listed tool of that name. */
  get(name: string): Tool | undefined;
  /** The listed tool of that name, as the registry holds it. */
  entry(name: string): RegisteredTool | undefined;
  /** The tool that a call of that name runs, whether it is listed or can only be searched for. */
  callable(name: string): RegisteredTool | undefined;
  /** All listed tools as the registry holds them, in order of name. */
  entries(): IterableIterator<RegisteredTool>;
  /** The names of the listed tools, in order. */
  names(): IterableIterator<string>;
  /** The names of all tools that can be called, the listed ones first. */
  callableNames(): IterableIterator<string>;
  /** The descriptions of the listed tools, in order of name. A schema is made when it is first read. */
  specs(): readonly ToolSpec[];
  /**
   * Some tool that can be called runs as a task by itself.
   *
   * @internal
   */
  readonly hasTasks: boolean;
  /** The snapshot with only the tools that `keep` accepts, listed or not; itself when these are all. */
  filter(keep: (entry: RegisteredTool) => boolean): Toolset;
  /**
   * The part of the snapshot that `selection` names. A budget counts the listed tools.
   *
   * @throws ToolError `internal` when the selection makes no sense.
   */
  select(selection: ToolSelection): Toolset;
  /**
   * The snapshot without the listed tools that `keep` rejects; they can still be searched for.
   *
   * @internal
   */
  filterListed(keep: (entry: RegisteredTool) => boolean): Toolset;
  /**
   * The snapshot with further listed tools; they replace those of the same names.
   *
   * @internal
   */
  with(added: readonly RegisteredTool[]): Toolset;
  /**
   * All tools that can be called as one toolset, without the built-in tools among the listed ones.
   *
   * @internal
   */
  whole(): Toolset;
}
