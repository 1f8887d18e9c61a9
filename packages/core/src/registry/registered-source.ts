import type { RegisteredTool } from "../contract/tool.ts";
import { toErrorMessage } from "../contract/error-message.ts";
import { getSlot, type RegistryProblem, type Slot } from "./collect-tools.ts";
import type { ToolSource } from "./tool-source.ts";

/** A source of a registry. */
export interface RegisteredSource {
  /** `host` stands for the tools that host code has added itself. */
  readonly id: string;
  /** Its annotations may loosen a decision. */
  readonly trusted: boolean;
  /** The adapter of its tools: `openapi`, `mcp`, `code`, … Absent: it has no tool. */
  readonly adapter?: string;
  /** The number of its tools. */
  readonly size: number;
  /** `loading`: it has not listed its tools yet. */
  readonly state: "ready" | "loading" | "failed";
  /** With `failed`: the reason. */
  readonly message?: string;
}

/** The sources that have not listed their tools yet. */
const loading = new WeakSet<ToolSource>();
/** Why sources could not be loaded. */
const failures = new WeakMap<ToolSource, string>();

/** Waits until a source has listed its tools, and rejects as its `ready` does. */
export async function whenReady(source: ToolSource): Promise<void> {
  loading.add(source);
  try {
    await source.ready;
  } catch (error) {
    failures.set(source, toErrorMessage(error));
    throw error;
  } finally {
    loading.delete(source);
  }
}

/**
 * The sources of a registry's slots, with their states. Several may have one id; the host's own tools are one source.
 *
 * @param failed the failures that count: a source may have come up after all.
 */
export function listSources(
  slots: readonly Slot[],
  entries: ReadonlyMap<string, RegisteredTool>,
  failed: readonly RegistryProblem[],
): readonly RegisteredSource[] {
  const rows = new Map<ToolSource | undefined, Writable<RegisteredSource>>();
  for (const { id, source, trusted } of slots) {
    const isFailed = failed.some((problem) => problem.source === id);
    const message = isFailed && source !== undefined ? failures.get(source) : undefined;
    const isLoading = source !== undefined && loading.has(source);
    rows.set(source, {
      id,
      trusted,
      size: 0,
      state: message !== undefined ? "failed" : isLoading ? "loading" : "ready",
      ...(message === undefined ? {} : { message }),
    });
  }
  for (const entry of entries.values()) {
    const row = rows.get(getSlot(entry)?.source);
    if (row === undefined) continue;
    row.size += 1;
    row.adapter ??= entry.tool.spec.provenance.adapter;
  }
  return [...rows.values()];
}

type Writable<Type> = { -readonly [Key in keyof Type]: Type[Key] };
