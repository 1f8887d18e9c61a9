import type { RegisteredTool } from "../contract/tool.ts";
import type { RegistryProblem, Slot } from "./collect-tools.ts";
import type { ToolSource } from "./tool-source.ts";

/** A source of a registry. */
export interface RegisteredSource {
  /** `host` stands for the tools that host code has added itself. */
  readonly id: string;
  /** Its annotations may loosen a decision. */
  readonly trusted: boolean;
  /** The number of its tools. */
  readonly size: number;
  /** `loading`: it has not listed its tools yet. */
  readonly state: "ready" | "loading" | "failed";
  /** With `failed`: the reason. */
  readonly message?: string;
}

/** The sources that have not listed their tools yet. */
const loading = new WeakSet<ToolSource>();

/** Waits until a source has listed its tools, and rejects as its `ready` does. */
export async function whenReady(source: ToolSource): Promise<void> {
  loading.add(source);
  try {
    await source.ready;
  } finally {
    loading.delete(source);
  }
}

/** The sources of a registry's slots, each id once, with their states. */
export function listSources(
  slots: readonly Slot[],
  entries: ReadonlyMap<string, RegisteredTool>,
  failed: readonly RegistryProblem[],
): readonly RegisteredSource[] {
  const sizes = new Map<string, number>();
  for (const { source } of entries.values()) sizes.set(source, (sizes.get(source) ?? 0) + 1);
  const sources = new Map<string, RegisteredSource>();
  for (const { id, source, trusted } of slots) {
    const failure = failed.find((problem) => problem.source === id);
    const isLoading = source !== undefined && loading.has(source);
    sources.set(id, {
      id,
      trusted,
      size: sizes.get(id) ?? 0,
      state: failure !== undefined ? "failed" : isLoading ? "loading" : "ready",
      ...(failure === undefined ? {} : { message: failure.message }),
    });
  }
  return [...sources.values()];
}
