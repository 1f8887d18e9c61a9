import type { AuditRecord } from "@toolweave/core/stores";
import type {
  Answer,
  Attempt,
  BucketState,
  ClientError,
  Effect,
  History,
} from "../../src/history/history.ts";

const call = { runId: "run_1", callId: "call_1" };

/** An effect of the call `run_1/call_1`. */
export const effect = (change: Partial<Effect> = {}): Effect => ({
  ...call,
  tool: "pay",
  attempt: "a1",
  worker: "worker 1.1",
  time: 100,
  ...change,
});

/** A completed answer about the same call. */
export const answer = (change: Partial<Answer> = {}): Answer => ({
  ...call,
  tool: "pay",
  attempt: "a1",
  worker: "worker 1.1",
  from: 90,
  at: 110,
  status: "completed",
  digest: "d1",
  isStored: true,
  ...change,
});

/** An attempt of the same call. */
export const attempt = (change: Partial<Attempt> = {}): Attempt => ({
  ...call,
  id: "a1",
  worker: "worker 1.1",
  from: 90,
  until: 110,
  ...change,
});

/** A request of a client whose session `gateway 1.1` had. */
export const clientError = (change: Partial<ClientError> = {}): ClientError => ({
  client: "1.x",
  holder: "gateway 1.1",
  type: "connection-lost",
  text: "tools/call: fetch failed",
  from: 90,
  until: 110,
  ...change,
});

/** The record of an approval of the same call. */
export const approved = (interruptionId: string): AuditRecord => ({
  ...call,
  time: 95,
  tool: "transfer",
  decision: "approved",
  specHash: "",
  argumentsHash: "",
  permissions: [],
  interruptionId,
});

const row = {
  key: "art_1",
  state: "ready",
  object: "artifacts/1",
  bytes: 3,
  found: "whole",
} as const;

/** A bucket with one artifact, and the row of one whose object was deleted behind the store's back. */
export const correctBucket: BucketState = {
  swept: 0,
  rows: [row, { ...row, key: "art_2", object: "artifacts/2", found: "missing" }],
  objects: [{ name: "artifacts/1", content: Buffer.from("abc") }],
  parts: [],
  miscounted: [],
};

/** A history of one completed call, in which every invariant holds. */
export const correctHistory: History = {
  effects: [effect()],
  attempts: [attempt()],
  answers: [answer()],
  faults: [{ kind: "kill", worker: "worker 1.1", from: 105, until: 105 }],
  approvals: [{ interruptionId: "i1", ...call }],
  artifactReads: [{ key: "art_1", worker: "worker 2.1", expected: "abc", found: "abc" }],
  deletedArtifacts: ["art_2"],
  operations: [{ id: "run_1", kind: "durableRun" }],
  budgets: [{ agent: "agent", limit: 5, used: 6, recoveries: 1 }],
  audit: [approved("i1")],
  tables: { unfinished: [], artifacts: [], dump: "nothing of interest" },
  bucket: correctBucket,
  secrets: ["a secret of the test"],
  rate: { calls: 2, windowMs: 1_000 },
};
