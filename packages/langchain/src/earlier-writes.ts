import type { BaseCheckpointSaver, LangGraphRunnableConfig } from "@langchain/langgraph";

/** The writes of a task: its id, the channel, the value. */
export type EarlierWrites = readonly (readonly [string, string, unknown])[];

/** Undocumented fields that LangGraph stores in the config of a task. */
interface TaskConfigurable {
  readonly __pregel_checkpointer?: BaseCheckpointSaver;
  readonly __pregel_resume_map?: unknown;
  readonly __pregel_scratchpad?: { readonly nullResume?: unknown };
  /** The checkpoint's id of each graph around the task, by the graph's namespace. */
  readonly checkpoint_map?: Readonly<Record<string, string>>;
}

/**
 * Reads the checkpoint's writes of tasks that LangGraph may now begin again, although they have ended. LangGraph reads
 * them itself for an outermost graph; but in a nested graph, and in a graph that is resumed at a checkpoint of the
 * host's choice, it begins every task of the step again.
 *
 * @param config of the task that runs now.
 * @returns nothing if LangGraph reads them itself.
 * @see https://github.com/langchain-ai/langgraphjs/issues/2667
 */
export async function earlierWrites(config: LangGraphRunnableConfig): Promise<EarlierWrites> {
  const { checkpointId, threadId } = config.executionInfo ?? {};
  const {
    __pregel_checkpointer: checkpointer,
    __pregel_resume_map: resumeMap,
    __pregel_scratchpad: scratchpad,
    checkpoint_map: checkpoints = {},
  } = (config.configurable ?? {}) as TaskConfigurable;
  if (checkpointer === undefined || checkpointId === undefined) return [];
  const isNested = checkpoints[""] !== checkpointId;
  const isResumed = resumeMap !== undefined || scratchpad?.nullResume !== undefined;
  if (!isNested && !isResumed) return [];
  // A task's namespace begins with its graph's, and has the same checkpoint.
  const [namespace = ""] = Object.keys(checkpoints)
    .filter((name) => checkpoints[name] === checkpointId)
    .sort((one, other) => one.length - other.length);
  const tuple = await checkpointer.getTuple({
    configurable: {
      thread_id: threadId,
      checkpoint_ns: namespace,
      checkpoint_id: checkpointId,
    },
  });
  return tuple?.pendingWrites ?? [];
}
