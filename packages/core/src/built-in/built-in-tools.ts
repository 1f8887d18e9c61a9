import { mayRun, type PolicyLayer } from "../policy/decision.ts";
import type { RegisteredTool, Toolset, Tool, ToolContext } from "../contract/tool.ts";
import type { Caller } from "../contract/caller.ts";
import type { ExecutorTasks, TaskInfo, TaskOptions } from "../tasks/executor-tasks.ts";
import { builtInSource } from "../contract/tool-names.ts";
import type { ToolSpec } from "../contract/tool-spec.ts";
import type { ArtifactReading } from "../artifacts/artifact-reader.ts";
import { defineTool } from "../define/define-tool.ts";
import { text } from "../contract/content-block.ts";
import type { ToolOutput } from "../contract/tool-result.ts";

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

/** Maximum wait of a model within one call, in seconds. */
const maxSeconds = 60;

const taskId = {
  type: "string",
  description: "The id that the call answered with: task_…",
} as const;
const ofTask = {
  type: "object",
  properties: { task_id: taskId },
  required: ["task_id"],
  additionalProperties: false,
} as const;
const reads = { readOnlyHint: true, idempotentHint: true, openWorldHint: false } as const;

/**
 * The tools with which a model reads its tasks: `task_status`, `task_result` and `task_cancel`. Each sees only the
 * tasks of the session and the caller of its run.
 *
 * @param tasks `executor.tasks`.
 */
export function taskTools(tasks: ExecutorTasks): readonly Tool[] {
  return [
    defineTool({
      name: "task_status",
      description: "Report the status of a task: a call that runs in the background.",
      input: ofTask,
      annotations: reads,
      execute: async ({ task_id }, ctx) =>
        toOutput(await tasks.status(task_id, toTaskOptions(ctx))),
    }),
    defineTool({
      name: "task_result",
      description:
        "Get the result of a task, once it has ended. Waits up to wait_seconds for that.",
      input: {
        ...ofTask,
        properties: {
          task_id: taskId,
          wait_seconds: { type: "number", minimum: 0, maximum: maxSeconds, default: 0 },
        },
      },
      annotations: reads,
      // No timeout: `wait_seconds` bounds the wait, and the host's maximum caps it.
      timeoutMs: 0,
      execute: ({ task_id, wait_seconds = 0 }, ctx) =>
        awaitResult(tasks, task_id, wait_seconds * 1000, ctx),
    }),
    defineTool({
      name: "task_cancel",
      description: "Stop a task. What it has done already stays done.",
      input: ofTask,
      annotations: {
        destructiveHint: false,
        idempotentHint: true,
        openWorldHint: false,
      },
      execute: async ({ task_id }, ctx) =>
        toOutput(await tasks.cancel(task_id, toTaskOptions(ctx))),
    }),
  ];
}

async function awaitResult(
  tasks: ExecutorTasks,
  id: string,
  waitMs: number,
  ctx: ToolContext,
): Promise<ToolOutput> {
  const behalf = toTaskOptions(ctx);
  const outcome = await tasks.result(id, {
    ...behalf,
    waitMs: Math.min(waitMs, tasks.maxWaitMs),
    signal: ctx.signal,
  });
  if (outcome === undefined || outcome.status === "interrupted") {
    return toOutput(await tasks.status(id, behalf));
  }
  const { content, value, artifacts, isError } = outcome.result;
  return {
    content,
    artifacts,
    isError,
    ...(value === undefined ? {} : { value }),
    ...(outcome.error === undefined ? {} : { error: outcome.error }),
  };
}

function toTaskOptions({ sessionId, caller }: ToolContext): TaskOptions {
  return { sessionId, caller };
}

function toOutput({ id, tool, status, error }: TaskInfo): ToolOutput {
  return {
    content: [text(`Task ${id} (${tool}) ${words(status)}`)],
    value: { taskId: id, tool, status, ...(error === undefined ? {} : { code: error.code }) },
  };
}

function words(status: TaskInfo["status"]): string {
  switch (status) {
    case "working":
      return "is still working. Continue with something else, or call task_result with wait_seconds.";
    case "input_required":
      return "waits for a person, and continues when that person has answered. Ask again later.";
    case "completed":
      return "has completed: read its answer with task_result.";
    case "failed":
      return "has failed: task_result tells why.";
    case "cancelled":
      return "was cancelled.";
  }
}
