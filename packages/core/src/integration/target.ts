import type { RunOptions } from "../executor/batch/check-call-options.ts";
import type { ToolExecutor, ToolRun } from "../executor/tool-executor.ts";
import type { Toolset } from "../contract/tool.ts";
import { ToolError } from "../contract/tool-error.ts";

/** The maximum number of tools that a model is given; of more, it is given a search. */
export const maxListedTools = 100;

/** The object that a host gives to an integration: its executor, or one of its runs. */
export interface IntegrationTarget {
  readonly executor: ToolExecutor;
  /** The host's run. Absent: the host gave the executor. */
  readonly run: ToolRun | undefined;
}

/**
 * Tells an executor from a run, and waits until every source has loaded.
 *
 * @param integration the name of the integration's function, for the error's text.
 * @throws ToolError `invalid_configuration` (by rejecting) for any other value.
 */
export async function resolveTarget(
  integration: string,
  target: ToolExecutor | ToolRun,
): Promise<IntegrationTarget> {
  // By their methods: both may be of another copy of this package.
  const isExecutor = hasMethod(target, "startRun");
  if (!isExecutor && !hasMethod(target, "checkAdmission")) {
    throw integrationError(integration, "it takes a ToolExecutor, or a run of its startRun()");
  }
  const run = isExecutor ? undefined : (target as ToolRun);
  const executor = run?.executor ?? (target as ToolExecutor);
  await executor.registry.ready;
  return { executor, run };
}

/** The error for a host that uses an integration in a wrong way. */
export function integrationError(integration: string, problem: string): ToolError {
  return new ToolError("invalid_configuration", `${integration}: ${problem}.`);
}

/** The options of a run in which a model searches, if the toolset has more than 100 tools; otherwise none. */
export async function searchOptions(
  { size }: Toolset,
  form: "constant" | "growing" = "constant",
): Promise<Pick<RunOptions, "search">> {
  if (size <= maxListedTools) return {};
  // Most agents have few tools, and no need for the search.
  const { toolSearch } = await import("../search/index.ts");
  return { search: toolSearch({ form }) };
}

/** True for a run whose search adds tools to the list (`form: "growing"`). */
export function isGrowing(toolset: Toolset): boolean {
  return toolset.searchable !== undefined && toolset.get("call_tool") === undefined;
}

/**
 * The toolset of a run for a framework that reads the list once, with every built-in tool that a later call may need.
 *
 * @throws ToolError `invalid_configuration` for a run with a growing search.
 */
export function constantToolset(integration: string, run: ToolRun): Toolset {
  const toolset = run.freezeToolset();
  if (!isGrowing(toolset)) return toolset;
  const problem = `the list of tools cannot grow: search with toolSearch({ form: "constant" })`;
  throw integrationError(integration, problem);
}

function hasMethod(value: unknown, name: string): boolean {
  return typeof value === "object" && value !== null && name in value;
}

/** A map of a bounded size: the entry that was set least recently is removed first. */
export class BoundedMap<Key, Value> extends Map<Key, Value> {
  readonly #maxSize: number;

  /** @param maxSize Default: 1,000. */
  constructor(maxSize = 1000) {
    super();
    this.#maxSize = maxSize;
  }

  /** Sets the entry, which is now the most recent one. */
  override set(key: Key, value: Value): this {
    this.delete(key);
    super.set(key, value);
    if (this.size > this.#maxSize) this.delete(this.keys().next().value as Key);
    return this;
  }

  /** Removes and returns an entry: a second caller finds none. */
  take(key: Key): Value | undefined {
    const value = this.get(key);
    this.delete(key);
    return value;
  }
}

/** Wraps a function of an object so that it runs once per object. Results are kept as long as the object lives. */
export function perObject<Key extends object, Value>(
  make: (key: Key) => Value,
): (key: Key) => Value {
  const made = new WeakMap<Key, { readonly value: Value }>();
  return (key) => {
    const known = made.get(key) ?? { value: make(key) };
    made.set(key, known);
    return known.value;
  };
}
