const input = {
  type: "object",
  properties: { id: { type: "integer" } },
  required: ["id"],
} as const;

interface Exhibit {
  readonly id: number;
}

/** Definitions of the tools of a museum, and their calls. Removing needs approval, looking does not. */
export function museumTools() {
  const removed: number[] = [];
  const looked: number[] = [];
  const remove = {
    name: "remove",
    description: "Remove an exhibit.",
    input,
    needsApproval: true,
    execute: ({ id }: Exhibit) => {
      removed.push(id);
      return { removed: id };
    },
  };
  const look = {
    name: "look",
    description: "Look at an exhibit.",
    input,
    execute: ({ id }: Exhibit) => {
      looked.push(id);
      return `exhibit ${id}`;
    },
  };
  return { remove, look, removed, looked };
}

/** The definition of a tool that runs until it is stopped, and its signal once it runs. */
export function endlessTool(needsApproval = false) {
  let start: (signal: AbortSignal) => void = () => {};
  const started = new Promise<AbortSignal>((resolve) => (start = resolve));
  const definition = {
    name: "endless",
    description: "It never ends.",
    input: { type: "object" } as const,
    needsApproval,
    execute: (_: unknown, { signal }: { readonly signal: AbortSignal }) => {
      start(signal);
      return new Promise<string>(() => {});
    },
  };
  return { definition, started };
}
