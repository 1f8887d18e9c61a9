// A process that makes calls with the shared stores, one replica of several. It is killed at any moment.
import { createHash } from "node:crypto";
import {
  ToolError,
  ToolExecutor,
  ToolRegistry,
  type ToolOutcome,
  type ToolSource,
} from "@toolweave/core";
import type { ArtifactStore, CallLedger } from "@toolweave/core/stores";
import { postgresStore } from "@toolweave/postgres";
import { effectLog } from "../effect-log/client.ts";
import { apiSource } from "./api-source.ts";
import { watchDelays } from "./delays.ts";
import {
  workerKey,
  type SentRequest,
  type WorkerReply,
  type WorkerRequest,
  type WorkerSettings,
} from "./messages.ts";
import { chaosTools, currentAttempt, timedRates } from "./tools.ts";

const settings = JSON.parse(process.env["CHAOS_WORKER"] ?? "") as WorkerSettings;
const log = effectLog(settings.effectLogPort);
const store = postgresStore({
  connectionString: settings.url,
  schema: settings.schema,
  key: workerKey,
  leaseMs: settings.leaseMs,
  auditRequired: true,
  maxPendingCallsPerOwner: 1_000_000,
  maxTasksPerOwner: 1_000_000,
  maxArtifactBytes: 1e12,
});
const artifacts = await openArtifacts(settings);
// The former version has none.
const { ledger } = store as { readonly ledger?: CallLedger };
const sources: ToolSource[] =
  settings.api === undefined ? [] : [apiSource(settings.api, store.credentials)];
const registry = new ToolRegistry([...chaosTools(settings.name, log, settings.secret), ...sources]);
const executor = new ToolExecutor({
  registry,
  key: workerKey,
  policy: { default: "allow", rules: [{ effect: "ask", tools: ["transfer"] }] },
  pendingCalls: store.pendingCalls,
  grants: store.grants,
  tasks: store.tasks,
  artifacts,
  audit: store.audit,
  rateLimits: timedRates(store.rateLimits, log),
  limits: { rates: [{ ...settings.rate, tools: ["limited"] }] },
  ...(ledger === undefined ? {} : { ledger }),
});
executor.secrets.add(settings.secret);

const caller = { id: "ada" };

async function answer(request: WorkerRequest): Promise<Omit<WorkerReply, "attempt">> {
  switch (request.type) {
    case "call": {
      const { runId, callId, tool, durable = false } = request;
      const call = { id: callId, name: tool, arguments: request.arguments };
      return toReply(await executor.execute(call, { id: runId, caller, durable }));
    }
    case "resume":
      return toReply(await executor.resume(request.interruption, request.answers));
    case "task-result": {
      const { taskId, waitMs } = request;
      const outcome = await executor.tasks.result(taskId, { caller, waitMs });
      return outcome === undefined ? { status: "working" } : toReply(outcome);
    }
    case "task-cancel":
      await executor.tasks.cancel(request.taskId, { caller });
      return { status: "completed" };
    case "read-artifact": {
      const { key } = request;
      const size = (await artifacts.head(key))?.size;
      const bytes = size === undefined ? undefined : await artifacts.read(key, 0, size);
      return { status: "completed", digest: bytes === undefined ? "missing" : hash(bytes) };
    }
    case "agent-run":
      throw new Error("This worker runs no agents.");
  }
}

async function openArtifacts({ bucket }: WorkerSettings): Promise<ArtifactStore> {
  if (bucket === undefined) return store.artifacts;
  // The former version has no such package.
  const { s3Artifacts } = await import("@toolweave/s3");
  return s3Artifacts({ index: store.artifactIndex, key: workerKey, ...bucket });
}

function toReply(outcome: ToolOutcome): Omit<WorkerReply, "attempt"> {
  if (outcome.status === "interrupted") {
    return { status: "interrupted", interruption: outcome.interruption };
  }
  const { content, value, isError, artifacts, taskId } = outcome.result;
  const digest = hash(JSON.stringify([content, value ?? null, isError]));
  const keys = artifacts.map(({ key }) => key);
  const rest = { digest, artifacts: keys, ...(taskId === undefined ? {} : { taskId }) };
  if (outcome.error === undefined) return { status: outcome.status, ...rest };
  const { code, message } = outcome.error;
  return { status: outcome.status, code, message, ...rest };
}

function hash(data: string | Uint8Array): string {
  return createHash("sha256").update(data).digest("hex");
}

function toFailure(error: unknown): Omit<WorkerReply, "attempt"> {
  const code = ToolError.is(error) ? error.code : "internal";
  return {
    status: "failed",
    code,
    message: error instanceof Error ? error.message : String(error),
  };
}

process.on("message", (request: SentRequest) => {
  const { attempt } = request;
  void currentAttempt.run({ id: attempt }, async () => {
    const reply = await answer(request).catch(toFailure);
    process.send?.({ attempt, ...reply } satisfies WorkerReply);
  });
});

watchDelays(settings.leaseMs);
process.once("disconnect", () => process.exit());
// Ctrl-C reaches the whole process group: the program ends its workers itself.
process.on("SIGINT", () => {});
process.send?.("ready");
