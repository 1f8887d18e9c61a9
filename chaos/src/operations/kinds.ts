import { createHash } from "node:crypto";
import type { Answer as PersonAnswer, Interruption } from "@toolweave/core";
import type { WorkerReply } from "../worker/messages.ts";
import { artifactBytes } from "../worker/tools.ts";
import type { CallId, Load } from "./load.ts";

/** Runs one operation to its end. Returns a result that cannot be correct, or nothing. */
export type RunOperation = (load: Load, id: string) => Promise<string | undefined>;

function unexpected(reply: WorkerReply, expected: readonly string[]): string | undefined {
  const found = reply.code ?? reply.status;
  return expected.includes(found) ? undefined : `${found}: ${reply.message ?? ""}`;
}

/** A durable run of three calls, driven by an engine that repeats a step until it has an outcome. */
export const durableRun: RunOperation = async (load, id) => {
  for (let number = 1; number <= 3; number++) {
    const call: CallId = { runId: id, callId: `call_${number}`, tool: "pay" };
    const request = { type: "call", ...call, arguments: {}, durable: true } as const;
    const first = await load.askUntilFinal(call, request);
    // An engine repeats steps that have ended, too.
    const again =
      load.random.next() < 0.5
        ? await load.askUntilFinal(call, request, { avoid: first.worker })
        : first;
    const problem =
      unexpected(first, ["completed", "outcome_unknown"]) ??
      unexpected(again, ["completed", "outcome_unknown"]);
    if (problem !== undefined) return problem;
  }
  return undefined;
};

/** A call that three people answer at once, each at another replica. Sometimes one of them rejects it. */
export const approval: RunOperation = (load, id) => approve(load, id, load.random.next() < 0.2);

/** The same; all three approve. */
export const approvalByAll: RunOperation = (load, id) => approve(load, id, false);

async function approve(load: Load, id: string, rejects: boolean): Promise<string | undefined> {
  const isDurable = load.hasLedger && load.random.next() < 0.3;
  const { call, interruption } = await interruptedCall(load, id, isDurable);
  const { id: interruptionId } = interruption;
  load.recorder.approvals.push({ interruptionId, runId: call.runId, callId: call.callId });
  const replies = await Promise.all(
    ["eve", "bob", "mia"].map((by) => {
      const type = rejects && by === "mia" ? "reject" : "approve";
      return answerInterruption(load, call, interruption, [{ type, by }]);
    }),
  );
  const expected = [
    "completed",
    "outcome_unknown",
    "approval_rejected",
    "approval_invalid",
    "store_unavailable",
  ];
  const problem = replies
    .map((reply) => unexpected(reply, expected))
    .find((text) => text !== undefined);
  if (problem !== undefined) return problem;
  return replies.every(({ code }) => code === "approval_invalid")
    ? "all three answers were refused."
    : undefined;
}

async function interruptedCall(
  load: Load,
  id: string,
  isDurable: boolean,
): Promise<{ readonly call: CallId; readonly interruption: Interruption }> {
  for (let number = 1; ; number++) {
    // Without a ledger, a call that is made again is another one.
    const callId = isDurable ? "transfer" : `transfer_${number}`;
    const call: CallId = { runId: id, callId, tool: "transfer" };
    const durable = isDurable ? { durable: true as const } : {};
    const reply = await load.ask(call, { type: "call", ...call, arguments: {}, ...durable });
    if (reply?.interruption !== undefined) return { call, interruption: reply.interruption };
    if (reply !== undefined && reply.code !== "store_unavailable") {
      throw new Error(
        `transfer was not interrupted: ${reply.code ?? reply.status} ${reply.message ?? ""}`,
      );
    }
    await load.pause(50);
  }
}

function answerInterruption(
  load: Load,
  call: CallId,
  interruption: Interruption,
  answers: readonly PersonAnswer[],
): Promise<WorkerReply> {
  const isFinal = ({ code, message = "" }: WorkerReply): boolean =>
    code !== "approval_invalid" || !message.includes("is resuming this call");
  return load.askUntilFinal(call, { type: "resume", interruption, answers }, { isFinal });
}

/** A run of a durable agent, which its client asks for until it has ended. */
export const agentRun: RunOperation = async (load, runId) =>
  unexpected(await load.askUntilFinal(undefined, { type: "agent-run", runId }), ["completed"]);

/** One call of a tool with a rate. */
export const limitedCall: RunOperation = async (load, id) => {
  const call: CallId = { runId: id, callId: "limited", tool: "limited" };
  const reply = await load.ask(call, { type: "call", ...call, arguments: {} });
  return reply && unexpected(reply, ["completed", "rate_limited", "store_unavailable"]);
};

/** A task that two replicas wait for, and that a third one may cancel. */
export const task: RunOperation = async (load, id) => {
  const { call, taskId, worker } = await startedTask(load, id);
  const watch = (): Promise<WorkerReply> =>
    load.askUntilFinal(
      call,
      { type: "task-result", taskId, waitMs: 2_000 },
      {
        avoid: worker,
        isFinal: ({ status }) => status !== "working",
      },
    );
  const cancel = async (): Promise<void> => {
    if (load.random.next() >= 0.3) return;
    await load.pause(load.random.between(0, 100));
    await load.ask(undefined, { type: "task-cancel", taskId }, worker);
  };
  const [first, second] = await Promise.all([watch(), watch(), cancel()]);
  load.endTask(taskId);
  const expected = ["completed", "cancelled", "outcome_unknown"];
  return unexpected(first, expected) ?? unexpected(second, expected);
};

async function startedTask(
  load: Load,
  id: string,
): Promise<{ readonly call: CallId; readonly taskId: string; readonly worker: string }> {
  for (let number = 1; ; number++) {
    const call: CallId = { runId: id, callId: `report_${number}`, tool: "report" };
    const ms = Math.floor(load.random.between(1, 80));
    const reply = await load.ask(call, { type: "call", ...call, arguments: { ms } });
    if (reply?.taskId !== undefined) return { call, taskId: reply.taskId, worker: reply.worker };
    if (reply !== undefined && reply.code !== "store_unavailable") {
      throw new Error(
        `report has not started: ${reply.code ?? reply.status} ${reply.message ?? ""}`,
      );
    }
    await load.pause(50);
  }
}

/** An artifact that a replica stores, and two others read. */
export const artifact: RunOperation = async (load, id) => {
  const stored = await storedArtifact(load, id);
  await readTwice(load, stored, stored.digest);
  return undefined;
};

/**
 * An artifact that is stored and read, and then missing.
 *
 * @param deleteObject deletes its bytes behind the back of the store.
 */
export function lostObject(deleteObject: (key: string) => Promise<void>): RunOperation {
  return async (load, id) => {
    const stored = await storedArtifact(load, id);
    await readTwice(load, stored, stored.digest);
    load.recorder.deletedArtifacts.push(stored.key);
    await deleteObject(stored.key);
    await readTwice(load, stored, "missing");
    return undefined;
  };
}

/** An artifact that is written in parts, and read once. It is not stored if one of them fails. */
export const largeFile: RunOperation = async (load, id) => {
  const stored = await storeOnce(load, { runId: id, callId: "export", size: 17_000_000 });
  if (stored === undefined) return undefined;
  const { key, worker: avoid, digest: expected } = stored;
  const reply = await load.ask(undefined, { type: "read-artifact", key }, avoid);
  if (reply?.digest === undefined) return undefined;
  load.recorder.artifactReads.push({ key, worker: reply.worker, expected, found: reply.digest });
  return undefined;
};

interface StoredByWorker {
  readonly key: string;
  readonly worker: string;
  /** A hash of its bytes. */
  readonly digest: string;
}

async function storedArtifact(load: Load, id: string): Promise<StoredByWorker> {
  const size = load.random.pick([1_000, 20_000, 200_000]);
  for (let number = 1; ; number++) {
    const stored = await storeOnce(load, { runId: id, callId: `export_${number}`, size });
    if (stored !== undefined) return stored;
    await load.pause(50);
  }
}

/** `undefined`: it was not stored, or there is no reply. */
async function storeOnce(
  load: Load,
  {
    runId,
    callId,
    size,
  }: { readonly runId: string; readonly callId: string; readonly size: number },
): Promise<StoredByWorker | undefined> {
  const seed = Math.floor(load.random.between(0, 1e9));
  const call: CallId = { runId, callId, tool: "export_file" };
  const reply = await load.ask(call, { type: "call", ...call, arguments: { seed, size } });
  const [key] = reply?.artifacts ?? [];
  if (reply?.status !== "completed" || key === undefined) return undefined;
  const digest = createHash("sha256").update(artifactBytes(seed, size)).digest("hex");
  return { key, worker: reply.worker, digest };
}

/** Reads an artifact by replicas that have not stored it. */
async function readTwice(
  load: Load,
  { key, worker: avoid }: StoredByWorker,
  expected: string,
): Promise<void> {
  for (let read = 0; read < 2; read++) {
    const reply = await load.askUntilFinal(undefined, { type: "read-artifact", key }, { avoid });
    const { digest, code = "missing", worker } = reply;
    load.recorder.artifactReads.push({ key, worker, expected, found: digest ?? code });
  }
}

/** A call of an API with OAuth, whose token expires all the time. A person never has to sign in again. */
export const apiCall: RunOperation = async (load, id) => {
  const call: CallId = { runId: id, callId: "get_profile", tool: "get_profile" };
  const reply = await load.askUntilFinal(
    undefined,
    { type: "call", ...call, arguments: {} },
    // On a busy machine, a token may expire on its way to the API.
    { isFinal: ({ code }) => code !== "upstream" },
  );
  return unexpected(reply, ["completed"]);
};
