import { readArtifactTool } from "../artifacts/read-artifact.ts";
import type { PolicyLayer } from "../policy/policy-layer.ts";
import { mayRun } from "../policy/decide.ts";
import type { RegisteredTool, Toolset, Tool } from "../contract/tool.ts";
import type { Caller } from "../contract/caller.ts";
import type { ExecutorTasks } from "../tasks/executor-tasks.ts";
import { taskTools } from "./task-tools.ts";
import { builtInSource } from "../contract/reserved-names.ts";

/** Built-in tools that a toolset needs. */
export interface NeededBuiltIns {
  readonly artifacts: boolean;
  readonly tasks: boolean;
}

/** The tools that an executor adds to toolsets that need them. */
export class BuiltInTools {
  readonly #policies: readonly PolicyLayer[];
  readonly #make: BuiltInFactories;
  #artifacts: readonly RegisteredTool[] | undefined;
  #tasks: readonly RegisteredTool[] | undefined;
  /** Joined toolsets, by base and by the names of the added tools: runs of one call each share them. */
  readonly #joined = new WeakMap<Toolset, Map<string, Toolset>>();

  /** True when the host sets a store of artifacts: artifacts of other processes may then be read here. */
  readonly alwaysRead: boolean;

  constructor(policies: readonly PolicyLayer[], make: BuiltInFactories, alwaysRead: boolean) {
    this.#policies = policies;
    this.#make = make;
    this.alwaysRead = alwaysRead;
  }

  /** Adds the needed built-in tools that the policy may let run for the caller to `base`. */
  join(base: Toolset, needed: NeededBuiltIns, caller: Caller | undefined): Toolset {
    const helpers = [
      ...(needed.artifacts ? (this.#artifacts ??= this.#make.artifacts().map(registered)) : []),
      ...(needed.tasks ? (this.#tasks ??= this.#make.tasks().map(registered)) : []),
    ].filter((entry) => mayRun(this.#policies, entry, caller));
    let byNames = this.#joined.get(base);
    if (byNames === undefined) this.#joined.set(base, (byNames = new Map()));
    const names = helpers.map(({ tool }) => tool.spec.name).join();
    let joined = byNames.get(names);
    if (joined === undefined) byNames.set(names, (joined = base.with(helpers)));
    return joined;
  }
}

/** Factories of the built-in tools, called when they are first needed. */
export interface BuiltInFactories {
  readonly artifacts: () => readonly Tool[];
  readonly tasks: () => readonly Tool[];
}

/** Returns the factories of an executor's built-in tools. */
export function builtInFactories(
  services: Parameters<typeof readArtifactTool>[0],
  tasks: () => ExecutorTasks,
): BuiltInFactories {
  return {
    artifacts: () => [readArtifactTool(services)],
    tasks: () => taskTools(tasks()),
  };
}

/** A built-in tool as an entry of a toolset. */
export function registered(tool: Tool): RegisteredTool {
  return { tool, source: builtInSource, trusted: true };
}
