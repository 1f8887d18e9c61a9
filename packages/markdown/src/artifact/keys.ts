/** The keys that tools, hooks and single files of both have in common. */
const commonKeys = [
  "name",
  "description",
  "script",
  "script_file",
  "timeout_ms",
  "access",
  "limits",
  "dialect",
  "metadata",
] as const;

/** The keys of a tool. */
export const toolKeys: readonly string[] = [
  ...commonKeys,
  "title",
  "parameters",
  "input",
  "output",
  "async",
  "annotations",
  "error_shape",
  "override",
];

/** The keys of a hook. */
export const hookKeys: readonly string[] = [...commonKeys, "event", "when", "priority"];

/** The keys of a bundle. */
export const bundleKeys: readonly string[] = [
  "type",
  "name",
  "description",
  "version",
  "author",
  "tags",
  "depends_on",
  "condition",
  "tools",
  "hooks",
  "metadata",
];

/** The events at which hooks are called. */
export const firedEvents: readonly string[] = ["tool.pre", "tool.post"];

/** Events that a hook may name, and that only some hosts emit. */
export const acceptedEvents: readonly string[] = [
  "session.start",
  "session.end",
  "turn.start",
  "turn.end",
  "agent.stop",
  "completion.pre",
  "completion.post",
  "delegation.pre",
  "delegation.post",
  "delegation.post_verify",
  "error",
];

/** Whether a hook may name an event. Names below `custom.` and `meta.` are the host's own. */
export function isKnownEvent(event: string): boolean {
  return (
    firedEvents.includes(event) ||
    acceptedEvents.includes(event) ||
    /^(?:custom|meta)\.[\w.-]+$/.test(event)
  );
}
