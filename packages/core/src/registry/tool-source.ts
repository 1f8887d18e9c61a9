import type { SecretSet } from "../redaction/secret-set.ts";
import { filledText, list, valueThat } from "../contract/option-checks.ts";
import type { Tool } from "../contract/tool.ts";

/** Something that could not become a tool, or a source that could not be loaded. */
export interface SourceProblem {
  /** The subject: an operation (`GET /pets`), a tool's name, a document's URL. */
  readonly subject: string;
  /** One sentence: what is wrong and what to do. */
  readonly message: string;
  /** A JSON pointer into the document, where there is one (RFC 6901). */
  readonly pointer?: string;
  /** `error`: there is no such tool. `warning`: there is, with a restriction. Default: `error`. */
  readonly severity?: "error" | "warning";
}

/**
 * Where tools come from. A source may change while it lives. The registry that holds it owns it and
 * closes it.
 */
export interface ToolSource {
  /** Names the source among the others: a document's URL, a server's name. */
  readonly id: string;
  /** Resolves when the first list is there; rejects with a `ToolError` when it can't be had. */
  readonly ready: Promise<void>;
  /** The descriptions that could not become a tool, and the reasons. */
  readonly problems: readonly SourceProblem[];
  /**
   * Those of `problems` that are no warnings, of a source that looks for warnings when `problems` is read: loading a
   * registry does not wait for that. Absent: they are taken from `problems`.
   */
  readonly failures?: readonly SourceProblem[];
  /** The source's annotations may loosen a decision. Default: false; they can only tighten it. */
  readonly trustAnnotations?: boolean;
  /** The credentials that it holds: they come out of no executor. Always the same set. */
  readonly secrets?: SecretSet;
  /** The tools as they are now; empty before `ready`. The same array while nothing changes. */
  tools(): readonly Tool[];
  /** Calls `listener` after each change; returns what stops it. */
  onChange(listener: () => void): () => void;
  /** Releases all resources. Idempotent. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

const anyTool = /* @__PURE__ */ valueThat(
  (value) => typeof (value as Partial<Tool> | null)?.spec === "object",
  "a tool: defineTool makes one",
);

/**
 * A source of tools that never change, for host code that wants combinators over its own tools.
 *
 * @throws ToolError `invalid_configuration` for what is no list of tools.
 */
export function toolsSource(id: string, tools: readonly Tool[]): ToolSource {
  filledText.check("toolsSource: id", id);
  list(anyTool).check("toolsSource: tools", tools);
  const kept = [...tools];
  return {
    id,
    ready: Promise.resolve(),
    problems: [],
    trustAnnotations: true,
    tools: () => kept,
    onChange: () => () => {},
    close: () => Promise.resolve(),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}
