/** The names of the tools that an executor adds by itself; no other tool can have one of them. */
export const helperNames = [
  "read_artifact",
  "task_status",
  "task_result",
  "task_cancel",
  "search_tools",
  "describe_tool",
  "call_tool",
] as const;

/** What the helper tools' `source` is. */
export const helperSource = "toolweave";
