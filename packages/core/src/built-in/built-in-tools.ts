import { mayRun, type PolicyLayer } from "../policy/decision.ts";
import type { RegisteredTool, Toolset, Tool } from "../contract/tool.ts";
import type { Caller } from "../contract/caller.ts";
import type { ExecutorTasks } from "../tasks/executor-tasks.ts";
import { taskTools } from "./task-tools.ts";
import { builtInSource } from "../contract/tool-names.ts";
import type { ToolSpec } from "../contract/tool-spec.ts";
import type { ArtifactReading } from "../artifacts/artifact-reader.ts";

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

const spec: ToolSpec = {
  name: "read_artifact",
  title: "Read an artifact",
  description:
    "Read a large or binary result that was stored as an artifact: a page of it, the places where a text is found, or, of JSON, the part that a path leads to.",
  inputSchema: {
    type: "object",
    properties: {
      key: { type: "string", description: "The artifact's key: art_…" },
      offset: { type: "integer", minimum: 0, description: "The byte to begin at. Default: 0." },
      limit: {
        type: "integer",
        minimum: 1,
        description:
          "Bytes to read at most; with search, matches. Default: as many as may be shown.",
      },
      search: {
        type: "string",
        minLength: 1,
        maxLength: 500,
        description: "Text to find, literally and in any case.",
      },
      path: { type: "string", description: "A JSON path such as $.items[0].name or $..id." },
    },
    required: ["key"],
    additionalProperties: false,
  },
  annotations: {
    readOnlyHint: true,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: false,
  },
  // Content that has been read is not stored again.
  outputLimit: { onOverflow: "clip" },
  provenance: { adapter: "toolweave" },
};

/**
 * The tool that reads artifacts of the session and the caller of its run. Its output respects the executor's limit by
 * itself. The reader is loaded with the first call.
 */
export function readArtifactTool(reading: ArtifactReading): Tool {
  return {
    spec,
    async invoke(args, { sessionId, caller }) {
      const ref = await reading.artifacts.head({ sessionId, caller }, args["key"]);
      const { ArtifactReader } = await import("../artifacts/artifact-reader.ts");
      return new ArtifactReader(reading, ref, args).read();
    },
  };
}
