import type { Answer as PersonAnswer, Interruption, JsonObject } from "@toolweave/core";

/** How a worker is started: JSON in its environment variable `CHAOS_WORKER`. */
export interface WorkerSettings {
  readonly name: string;
  /** The URL of the database. */
  readonly url: string;
  readonly schema: string;
  readonly leaseMs: number;
  readonly effectLogPort: number;
  readonly rate: { readonly calls: number; readonly windowMs: number };
  /** The secret that a tool returns, and that the executor redacts. */
  readonly secret: string;
  /** An API with OAuth. Absent: there is none. */
  readonly api?: { readonly origin: string; readonly clientId: string };
  /** The engine of a worker that runs agents. */
  readonly engine?: EngineSettings;
  /** Where the bytes of artifacts are. Absent: in the database. */
  readonly bucket?: BucketSettings;
}

/** A bucket for the bytes of artifacts. */
interface BucketSettings {
  readonly bucket: string;
  readonly endpoint: string;
  readonly region: string;
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
  readonly timeoutMs: number;
}

/** An engine of durable agents, as a worker reaches it. */
export type EngineSettings =
  | { readonly name: "dbos" }
  /** `port`: that the worker serves the agents on. */
  | { readonly name: "restate"; readonly ingressUrl: string; readonly port: number }
  | { readonly name: "bullmq"; readonly redisUrl: string };

/** A request to a worker. */
export type WorkerRequest =
  | {
      readonly type: "call";
      readonly runId: string;
      readonly callId: string;
      readonly tool: string;
      readonly arguments: JsonObject;
      readonly durable?: true;
    }
  | {
      readonly type: "resume";
      readonly interruption: Interruption;
      readonly answers: readonly PersonAnswer[];
    }
  | { readonly type: "task-result"; readonly taskId: string; readonly waitMs: number }
  | { readonly type: "task-cancel"; readonly taskId: string }
  | { readonly type: "read-artifact"; readonly key: string }
  /** Starts the run of an agent, unless it was started before, and waits for its end. */
  | { readonly type: "agent-run"; readonly runId: string };

/** A request with the id of its attempt. */
export type SentRequest = WorkerRequest & { readonly attempt: string };

/** The reply of a worker. `working`: the task has not ended. */
export interface WorkerReply {
  readonly attempt: string;
  readonly status: "completed" | "failed" | "interrupted" | "working";
  readonly code?: string;
  readonly message?: string;
  /** A hash of the result. */
  readonly digest?: string;
  readonly taskId?: string;
  readonly artifacts?: readonly string[];
  readonly interruption?: Interruption;
}

/** A worker reports that it was held up: its leases may have expired. */
export interface HeldUp {
  readonly type: "held-up";
  /** Milliseconds, by the clock of the machine at which it noticed that. */
  readonly ms: number;
}

/** The keys of all workers of a run: they share one store. */
export const workerKey = "the key of the workers of the chaos suite";

/** The name of the agent, and so of its workflows in the engine. */
export const agentName = "agent";

/** The turns of an agent with those of its sub-agent: its limit, and as many as it takes. */
export const agentTurns = 9;
