import type { Tool } from "../contract/tool.ts";
import type { ToolSource } from "./tool-source.ts";

/** A source of tools that never change, for host code that wants combinators over its own tools. */
export function toolsSource(id: string, tools: readonly Tool[]): ToolSource {
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
