/** The names of the built-in tools; no other tool can have one of them. */
export const helperNames: ReadonlySet<string> = new Set([
  "read_artifact",
  "task_status",
  "task_result",
  "task_cancel",
  "search_tools",
  "describe_tool",
  "call_tool",
]);

/** True for a name that only a helper tool can have. */
export function isBuiltInName(name: string): boolean {
  return helperNames.has(name);
}

/** The `source` of the built-in tools. */
export const builtInSource = "toolweave";

/** The `source` of the host's own tools. */
export const hostSource = "host";
