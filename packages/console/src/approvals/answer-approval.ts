import type {
  ArtifactRef,
  ContentBlock,
  Interruption,
  JsonValue,
  ToolError,
  ToolExecutor,
  ToolOutcome,
} from "@toolweave/core";
import { specHashOf } from "@toolweave/core/adapter";
import type { PendingCallRecord, PendingCallStore } from "@toolweave/core/stores";
import { Problem } from "../http/problem.ts";
import type { AnswerBody } from "./answer-body.ts";
import { getDigest, toApproval, type Approval } from "./approval.ts";
import type { GivenAnswers } from "./given-answers.ts";

/** The services that an answer needs. */
export interface AnswerPorts {
  readonly executor: ToolExecutor;
  readonly pendingCalls: PendingCallStore;
  readonly given: GivenAnswers;
  /** Receives the outcome of each answer that was accepted. */
  readonly onOutcome?: (id: string, outcome: ToolOutcome) => void;
}

/** The outcome of an answer. A rejection has the status `failed` with the code `approval_rejected`. */
export interface AnswerResult {
  readonly status: ToolOutcome["status"];
  /** The id of the caller who has answered. Absent: it was in another process, or long ago. */
  readonly answeredBy?: string;
  /** Milliseconds since the epoch. */
  readonly answeredAt?: number;
  /** The same answers were given before: this is their outcome, and nothing has run now. */
  readonly replayed?: true;
  /** With `completed` and `failed`: the result as the model sees it. */
  readonly result?: {
    readonly isError: boolean;
    readonly content: readonly ContentBlock[];
    readonly value?: JsonValue;
    readonly artifacts: readonly ArtifactRef[];
    readonly taskId?: string;
  };
  /** The error of the call; the answer itself was accepted. */
  readonly error?: {
    readonly code: string;
    readonly message: string;
    readonly retryable: boolean;
  };
  /** With `interrupted`: what the call waits for now. */
  readonly approval?: Approval;
}

/**
 * Answers an approval: the executor claims the call, over all processes that share the store, and runs it if it was
 * approved. The same answers of the same caller get the same outcome for 10 minutes.
 *
 * @throws Problem if the answer is not accepted.
 */
export async function answerApproval(
  ports: AnswerPorts,
  id: string,
  { digest, answers, by }: AnswerBody,
): Promise<AnswerResult> {
  const { executor, given } = ports;
  const record = await findRecord(ports, id);
  const { interruption, status } = record;
  await checkDisplayed(executor, interruption, digest);
  const now = await getNow(ports);
  if (status === "claimed") throw runningProblem(ports, id);
  if (status === "unfinished") throw unknownOutcomeProblem();
  if (status === "pending") {
    if (interruption.expiresAt <= now) throw expiredProblem(interruption);
    if (!answers.some(({ type }) => type === "reject")) await checkTool(executor, interruption);
  }
  // One answer at a time: the others are refused with the name of the first.
  if (status === "pending" && !given.add(interruption, by, now)) throw runningProblem(ports, id);
  // Another process may finish the call after its status was read: only the claim shows where it ran.
  let isClaimed = false;
  const stopListening = executor.on((event) => {
    isClaimed ||= event.type === "tool.resumed" && event.interruptionId === id;
  });
  try {
    // Without the signal of the request: a lost connection must not cancel a call that was approved.
    const outcome = await executor.resume(interruption, answers);
    if (outcome.status === "failed")
      await checkAccepted(ports, interruption, outcome.error, status);
    ports.onOutcome?.(id, outcome);
    return {
      ...(await toResult(executor, outcome)),
      ...getAnswerMembers(ports, id),
      ...(isClaimed ? {} : { replayed: true }),
    };
  } catch (error) {
    if (status === "pending") given.remove(id);
    throw error;
  } finally {
    stopListening();
  }
}

/** The record of an approval. A store in memory removes a finished call: then it is the one that was answered here. */
async function findRecord(
  { pendingCalls, given }: AnswerPorts,
  id: string,
): Promise<PendingCallRecord> {
  const record = await pendingCalls.get(id);
  if (record !== undefined) return record;
  const interruption = given.get(id)?.interruption;
  if (interruption !== undefined) return { interruption, status: "finished" };
  throw new Problem(
    "not_found",
    "There is no approval with this id: it was answered or has expired, or the id is wrong.",
  );
}

/** @throws Problem if the answer is about something else than what the store has. */
async function checkDisplayed(
  executor: ToolExecutor,
  interruption: Interruption,
  digest: string,
): Promise<void> {
  if (interruption.parentCallId !== undefined) {
    throw new Problem(
      "approval_nested",
      "This call is part of another one: answer the approval of the call in parentCallId.",
    );
  }
  if (getDigest(interruption) !== digest) {
    throw new Problem(
      "approval_changed",
      "The approval is not the one that was displayed: read it again, and decide about what it is now.",
    );
  }
  if ((await executor.inspect(interruption)) === undefined) {
    throw new Problem(
      "approval_changed",
      "The approval was changed in the store, or belongs to an executor with another key: it cannot be answered.",
    );
  }
}

/**
 * Checks the tool before the call is claimed: a claimed call is never pending again.
 *
 * @throws Problem
 */
async function checkTool(executor: ToolExecutor, { call, specHash }: Interruption): Promise<void> {
  const { registry } = executor;
  // Built-in tools are in no registry.
  const tool = registry.get(call.name) ?? executor.toolset.entry(call.name)?.tool;
  if (tool === undefined) {
    throw new Problem(
      "tool_unavailable",
      registry.loading
        ? "The tools of this process are still loading: try again."
        : "This process does not have the tool of the call: answer in the process that has it, or reject the call.",
    );
  }
  if ((await specHashOf(tool)) !== specHash) {
    throw new Problem(
      "tool_changed",
      "The tool has changed since the call was made: reject the call, and have it made again.",
    );
  }
}

/**
 * Distinguishes an error that is the outcome of the call from one of an answer that was not accepted.
 *
 * @throws Problem if the call was not claimed for these answers.
 */
async function checkAccepted(
  ports: AnswerPorts,
  { id, expiresAt }: Interruption,
  { code, message }: ToolError,
  statusBefore: PendingCallRecord["status"],
): Promise<void> {
  const status = (await ports.pendingCalls.get(id))?.status ?? "finished";
  if (status === "pending") {
    if (code === "store_unavailable") throw storeProblem();
    if (code !== "approval_invalid") {
      throw new Problem("shutting_down", message, {}, { "retry-after": "5" });
    }
    if (expiresAt <= (await getNow(ports))) throw expiredProblem({ expiresAt });
    throw new Problem("answers_invalid", message);
  }
  if (code === "outcome_unknown" && statusBefore === "finished") throw unknownOutcomeProblem();
  if (code !== "approval_invalid") return;
  if (status === "claimed") throw runningProblem(ports, id);
  if (status === "unfinished") throw unknownOutcomeProblem();
  // Of another process, unless it was answered here before.
  const members = statusBefore === "finished" ? getAnswerMembers(ports, id) : {};
  throw new Problem("approval_answered", message, members);
}

function runningProblem(ports: AnswerPorts, id: string): Problem {
  return new Problem(
    "approval_running",
    "The approval was answered, and its call is running.",
    getAnswerMembers(ports, id),
  );
}

function unknownOutcomeProblem(): Problem {
  return new Problem(
    "outcome_unknown",
    "The approval was answered, and the process that ran the call did not finish it. Check what it did; it is not run again.",
  );
}

function expiredProblem({ expiresAt }: Pick<Interruption, "expiresAt">): Problem {
  return new Problem("approval_expired", "The approval has expired: have the call made again.", {
    expiresAt,
  });
}

/** The response if a store does not answer. */
export function storeProblem(): Problem {
  return new Problem(
    "store_unavailable",
    "The store does not answer; nothing was changed. Try again later.",
    {},
    { "retry-after": "5" },
  );
}

/** The caller that has answered, and the time, if it was through this process. */
function getAnswerMembers(
  { given }: AnswerPorts,
  id: string,
): { readonly answeredBy?: string; readonly answeredAt?: number } {
  const answer = given.get(id);
  return answer === undefined ? {} : { answeredBy: answer.by, answeredAt: answer.at };
}

async function getNow({ executor, pendingCalls }: AnswerPorts): Promise<number> {
  return (await pendingCalls.now?.()) ?? executor.clock.now();
}

async function toResult(executor: ToolExecutor, outcome: ToolOutcome): Promise<AnswerResult> {
  const { status } = outcome;
  if (outcome.status === "interrupted") {
    const record = { interruption: outcome.interruption, status: "pending" } as const;
    return { status, approval: await toApproval(executor, record) };
  }
  const { isError, content, value, artifacts, taskId } = outcome.result;
  const { error } = outcome;
  return {
    status,
    result: {
      isError,
      content,
      ...(value === undefined ? {} : { value }),
      artifacts,
      ...(taskId === undefined ? {} : { taskId }),
    },
    ...(error === undefined
      ? {}
      : { error: { code: error.code, message: error.message, retryable: error.retryable } }),
  };
}
