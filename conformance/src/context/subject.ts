import { toolsSource, type Tool, type ToolSource } from "@toolweave/core";
import { isObject, isThenable, isToolName } from "@toolweave/core/adapter";
import type { Manifest } from "../contract/manifest.ts";
import { readSpec, findMemberFault, type ReadTool } from "../faults/read-spec.ts";
import { runOwnedBy } from "./escaped-errors.ts";
import type { DeadlineBudget } from "./deadline-budget.ts";

/** A source that the manifest created, with what could be read of its tools. */
export class Subject {
  /** The source. A list of tools is wrapped in one. */
  readonly source: ToolSource;
  /** True if `create` returned a `ToolSource`. */
  readonly isSource: boolean;
  #tools: readonly ReadTool[] | undefined;

  constructor(source: ToolSource, isSource: boolean) {
    this.source = source;
    this.isSource = isSource;
  }

  /** All tools with what could be read of them. Reading creates every schema. */
  get tools(): readonly ReadTool[] {
    return (this.#tools ??= this.source.tools().map(readSpec));
  }

  /** The names in order; a name that cannot be read is "". */
  names(): string[] {
    return this.source.tools().map(readName);
  }

  /** The tools that a registry accepts: complete, with unique canonical names. */
  callableTools(): Tool[] {
    const seen = new Set<string>();
    return this.source.tools().filter((tool) => {
      const name = readName(tool);
      const fits =
        isToolName(name) &&
        !seen.has(name) &&
        hasSpecObjects(tool) &&
        findMemberFault(tool) === undefined;
      seen.add(name);
      return fits;
    });
  }

  /**
   * The names of the tools that a registry does not accept. Rules about specs and names report
   * them.
   */
  uncallableNames(): ReadonlySet<string> {
    const taken = new Set(this.callableTools().map(readName));
    return new Set(this.names().filter((name) => !taken.has(name)));
  }
}

/** Creates a subject from the manifest. It need not be ready yet. */
export async function createSubject(manifest: Manifest, budget: DeadlineBudget): Promise<Subject> {
  const made = runOwnedBy(manifest, () => manifest.create());
  const given = isThenable(made) ? await budget.withDeadline(made, "create()") : made;
  return isSource(given)
    ? new Subject(given, true)
    : new Subject(toolsSource(manifest.name, given), false);
}

/** Creates a subject from the manifest and waits until it is ready. */
export async function openSubject(manifest: Manifest, budget: DeadlineBudget): Promise<Subject> {
  const subject = await createSubject(manifest, budget);
  try {
    await budget.withDeadline(subject.source.ready, "ready");
  } catch (error) {
    await closeQuietly(subject, budget);
    throw error;
  }
  return subject;
}

/** Closes the subject. The rule for `close` reports an error. */
export async function closeQuietly(subject: Subject, budget: DeadlineBudget): Promise<void> {
  try {
    await budget.withDeadline(subject.source.close(), "close()");
  } catch {
    // Reported by TW-LIFE-003.
  }
}

function isSource(given: ToolSource | readonly Tool[]): given is ToolSource {
  return !Array.isArray(given);
}

/** The name of a tool, "" if it cannot be read or is no string. */
export function readName(tool: Tool): string {
  try {
    const { name } = tool.spec;
    return typeof name === "string" ? name : "";
  } catch {
    return "";
  }
}

function hasSpecObjects({ spec }: Tool): boolean {
  return isObject(spec.annotations) && isObject(spec.provenance);
}
