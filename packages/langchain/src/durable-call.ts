import type { Answer, Interruption } from "@toolweave/core";
import type { CallRecord } from "./call-record.ts";
import type { BaseCheckpointSaver, LangGraphRunnableConfig } from "@langchain/langgraph";

/** LangGraph's functions for calls that resume in another process. */
type LangGraph = Pick<typeof import("@langchain/langgraph"), "getConfig" | "interrupt" | "task">;

let loaded: Promise<LangGraph | undefined> | undefined;

/** LangGraph, if it is installed. A process that runs a graph has loaded it before. */
function langGraph(): Promise<LangGraph | undefined> {
  return (loaded ??= import("@langchain/langgraph").catch(() => undefined));
}

/** One call, and how it starts and resumes. Only a cancellation is thrown. */
export interface DurableCall {
  /** The model's id of the call, if it gave one. */
  readonly id: string | undefined;
  readonly name: string;
  execute(): Promise<CallRecord>;
  resume(interruption: Interruption, answers: readonly Answer[]): Promise<CallRecord>;
}

/** The result of a LangGraph task, which a checkpointer stores. */
interface Step {
  /** Tasks are in the "updates" of a stream, where readers look for messages. */
  readonly messages: readonly [];
  readonly id: string | undefined;
  readonly name: string;
  readonly record: CallRecord;
}

/**
 * Makes a call within a node of a graph, so that it is made once. LangGraph runs a node again from its start when it is
 * resumed: work that had ended by then is in tasks, which are not run again but read from the checkpoint. Each call is
 * a task of its own, with its own interrupts and order; within it every start and every resumption is a task.
 *
 * @param traced wraps the work unless the checkpoint has the complete call.
 * @returns `undefined` if LangGraph is not available.
 */
export async function callDurably(
  call: DurableCall,
  traced: (work: () => Promise<CallRecord>) => Promise<CallRecord>,
): Promise<CallRecord | undefined> {
  const graph = await langGraph();
  if (graph === undefined) return undefined;
  let earlier: Promise<EarlierWrites> | undefined;
  const step = async (name: string, work: () => Promise<CallRecord>): Promise<CallRecord> => {
    const { id, name: tool } = call;
    const run = graph.task(name, async (): Promise<Step> => {
      const config = graph.getConfig();
      const writes = await (earlier ??= earlierWrites(config));
      const kept = findStep(writes, config.executionInfo?.taskId);
      return kept ?? { messages: [], id, name: tool, record: await work() };
    });
    const kept = await run();
    if ((id === undefined || kept.id === id) && kept.name === tool) return kept.record;
    const message = `${tool} was not run: this step of the graph has changed since it was interrupted.`;
    return { thrown: { code: "outcome_unknown", message } };
  };
  return step("toolweave_call", () => traced(() => untilAnswered(call, graph, step)));
}

function findStep(writes: EarlierWrites, taskId: string | undefined): Step | undefined {
  const write = writes.find(([id, , value]) => id === taskId && isStep(value));
  return write?.[2] as Step | undefined;
}

function isStep(value: unknown): boolean {
  return typeof value === "object" && value !== null && "record" in value && "name" in value;
}

async function untilAnswered(
  call: DurableCall,
  { interrupt }: LangGraph,
  step: (name: string, work: () => Promise<CallRecord>) => Promise<CallRecord>,
): Promise<CallRecord> {
  let record = await step("toolweave_step", () => call.execute());
  let problem: string | undefined;
  while ("interruption" in record) {
    const { interruption } = record;
    let resume: unknown;
    try {
      const asked: ToolInterrupt = { interruption, ...(problem === undefined ? {} : { problem }) };
      resume = interrupt<ToolInterrupt, unknown>(asked);
    } catch (error) {
      // Without a checkpointer no person can be asked.
      if (isMissingCheckpointer(error)) return record;
      throw error;
    }
    const given = findAnswers(resume, interruption);
    if (!("answers" in given)) {
      problem = given.problem;
      continue;
    }
    const next = await step("toolweave_step", () => call.resume(interruption, given.answers));
    problem = problemIn(next);
    // A rejection always ends the call, and so does the expiry of the interruption.
    if (problem === undefined || isTooLate(next, interruption) || given.answers.some(isRejection)) {
      problem = undefined;
      record = next;
    }
  }
  return record;
}

/** Why a call still waits: its answers cannot be used, or the store of pending calls does not answer. */
function problemIn(record: CallRecord): string | undefined {
  if (!("result" in record) || record.error === undefined) return undefined;
  const { code, message } = record.error;
  return code === "approval_invalid" || code === "store_unavailable" ? String(message) : undefined;
}

/** The time of the answer, as the checkpoint has it: each time that the graph resumes, the decision is the same. */
function isTooLate(record: CallRecord, { expiresAt }: Interruption): boolean {
  return "result" in record && expiresAt <= record.result.timestamp;
}

function isRejection(answer: Answer | null | undefined): boolean {
  return answer?.type === "reject";
}

function isMissingCheckpointer(error: unknown): boolean {
  return (
    error instanceof Error &&
    "lc_error_code" in error &&
    error.lc_error_code === "MISSING_CHECKPOINTER"
  );
}

/** The writes of a task: its id, the channel, the value. */
type EarlierWrites = readonly (readonly [string, string, unknown])[];

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
async function earlierWrites(config: LangGraphRunnableConfig): Promise<EarlierWrites> {
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

/** The value of LangGraph's interrupt while a call waits for a person. Plain JSON. */
export interface ToolInterrupt {
  /** The requests, and the call that they are about; secrets in its arguments are masked. */
  readonly interruption: Interruption;
  /** The reason why the last answer could not be used. Absent: this is the first interrupt of the call. */
  readonly problem?: string;
}

/**
 * The value of `Command({ resume })`: answers by the `id` of the interruption that they are for. LangGraph may pass one
 * `resume` to every pending call: a value that names none of them is no answer.
 */
export type ToolResume = Readonly<Record<string, Answer | readonly Answer[]>>;

/** The answers to one interruption among what the graph was resumed with, or why there are none. */
function findAnswers(
  resume: unknown,
  { id }: Interruption,
): { readonly answers: readonly Answer[] } | { readonly problem?: string } {
  if (!isPlain(resume) || "type" in resume) {
    return { problem: noInterruption(id) };
  }
  if (!Object.hasOwn(resume, id)) {
    // One resume may hold the answers to other calls, by the ids of their interruptions.
    const isForOthers = Object.keys(resume).some((key) => uuid.test(key));
    return isForOthers ? {} : { problem: noInterruption(id) };
  }
  const given = resume[id];
  // Its content is untrusted, and the executor validates it.
  return { answers: (Array.isArray(given) ? given : [given]) as readonly Answer[] };
}

/** The form of an interruption's id. */
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

function noInterruption(id: string): string {
  return `The answer names no interruption: resume with { "${id}": { "type": "approve" } }.`;
}

function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
