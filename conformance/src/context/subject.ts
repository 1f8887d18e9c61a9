import { isThenable, isToolName, toolsSource, type Tool, type ToolSource } from "@toolweave/core";
import type { Manifest } from "../contract/manifest.ts";
import { readSpec, type ReadTool } from "../reading/read-spec.ts";
import { partFault } from "../reading/tool-parts.ts";
import { isObject } from "../schema/subschemas.ts";
import { madeBy } from "./stray-errors.ts";
import type { DeadlineBudget } from "./deadline-budget.ts";

/** What the manifest made, ready to be looked at. */
export class Subject {
  /** The source; tools that were given as a list are put into one. */
  readonly source: ToolSource;
  /** `create` gave a `ToolSource`. */
  readonly isSource: boolean;
  #tools: readonly ReadTool[] | undefined;

  constructor(source: ToolSource, isSource: boolean) {
    this.source = source;
    this.isSource = isSource;
  }

  /** All tools with what could be read of them. Realises every schema. */
  get tools(): readonly ReadTool[] {
    return (this.#tools ??= this.source.tools().map(readSpec));
  }

  /** The names in their order; what cannot be read is "". */
  names(): string[] {
    return this.source.tools().map(nameOf);
  }

  /** The tools that a registry takes: canonical names, the first of each, described, whole. */
  callable(): Tool[] {
    const seen = new Set<string>();
    return this.source.tools().filter((tool) => {
      const name = nameOf(tool);
      const fits =
        isToolName(name) && !seen.has(name) && isDescribed(tool) && partFault(tool) === undefined;
      seen.add(name);
      return fits;
    });
  }

  /** The names of those that a registry does not take; rules about specs and names say why. */
  untaken(): ReadonlySet<string> {
    const taken = new Set(this.callable().map(nameOf));
    return new Set(this.names().filter((name) => !taken.has(name)));
  }
}

/** Makes what the manifest makes. It need not be ready yet. */
export async function create(manifest: Manifest, budget: DeadlineBudget): Promise<Subject> {
  const made = madeBy(manifest, () => manifest.create());
  const given = isThenable(made) ? await budget.within(made, "create()") : made;
  return isSource(given)
    ? new Subject(given, true)
    : new Subject(toolsSource(manifest.name, given), false);
}

/** Makes what the manifest makes, and waits until it is ready. */
export async function open(manifest: Manifest, budget: DeadlineBudget): Promise<Subject> {
  const subject = await create(manifest, budget);
  try {
    await budget.within(subject.source.ready, "ready");
  } catch (error) {
    await closeQuietly(subject, budget);
    throw error;
  }
  return subject;
}

/** Closes it; what goes wrong is the business of the rule for `close`. */
export async function closeQuietly(subject: Subject, budget: DeadlineBudget): Promise<void> {
  try {
    await budget.within(subject.source.close(), "close()");
  } catch {
    // TW-LIFE-003 says so.
  }
}

function isSource(given: ToolSource | readonly Tool[]): given is ToolSource {
  return !Array.isArray(given);
}

/** A tool's name, "" when it cannot be read or is no text. */
export function nameOf(tool: Tool): string {
  try {
    const { name } = tool.spec;
    return typeof name === "string" ? name : "";
  } catch {
    return "";
  }
}

function isDescribed({ spec }: Tool): boolean {
  return isObject(spec.annotations) && isObject(spec.provenance);
}
