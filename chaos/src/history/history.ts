import type { AuditRecord } from "@toolweave/core/stores";

/** An effect of a tool, as the effect log has recorded it. Times are milliseconds of the machine of the database. */
export interface Effect {
  readonly runId: string;
  readonly callId: string;
  readonly tool: string;
  /** The attempt that had the effect. */
  readonly attempt: string;
  readonly worker: string;
  readonly time: number;
  /** Of a call with a rate: a time before the rate was committed. */
  readonly earliest?: number;
  /** The ids that the executor gave the call, if its client gave it others. */
  readonly executed?: { readonly runId: string; readonly callId: string };
}

/** A call that a worker was asked to make or to resume. */
export interface Attempt {
  readonly id: string;
  readonly runId: string;
  readonly callId: string;
  readonly worker: string;
  readonly from: number;
  /** When its answer arrived; absent: it has none. */
  readonly until?: number;
}

/** An answer of a worker about a call. */
export interface Answer {
  /** The attempt that it answers. */
  readonly attempt: string;
  readonly runId: string;
  readonly callId: string;
  readonly tool: string;
  readonly worker: string;
  /** When the worker was asked. */
  readonly from: number;
  readonly at: number;
  readonly status: "completed" | "failed" | "interrupted";
  /** With `failed`: the code of the error. */
  readonly code?: string;
  /** The text of the error says that the tool has not run. */
  readonly hasNotRun?: true;
  /** A hash of the result. */
  readonly digest?: string;
  /** Outcomes of this request are stored before they are reported: of a durable run, or of a task. */
  readonly isStored?: true;
}

/** A fault. Calls that were in flight while it lasted may have an unknown outcome. */
export interface Fault {
  readonly kind:
    | "kill"
    | "drain"
    | "stop"
    | "restart"
    | "network"
    | "storage"
    | "no-answer"
    /** An engine has given the run of a slow worker to another one. */
    | "hand-over";
  /** Absent: all workers. */
  readonly worker?: string;
  /** Absent: all runs. */
  readonly runId?: string;
  readonly from: number;
  readonly until: number;
}

/** A call that waits for approval. */
export interface ApprovalCase {
  readonly interruptionId: string;
  readonly runId: string;
  readonly callId: string;
}

/** An artifact that was stored, as a worker has read it. `expected`: a hash of the bytes, or `missing`. */
export interface ArtifactRead {
  readonly key: string;
  readonly worker: string;
  readonly expected: string;
  /** A hash of the bytes, `missing`, or the code of an error. */
  readonly found: string;
}

/** A row of an artifact whose bytes are an object of a bucket. */
export interface BucketRow {
  readonly key: string;
  readonly state: string;
  /** The name of the object. */
  readonly object: string;
  /** The bytes of the object. */
  readonly bytes: number;
  /** The artifact, as its store reads it. `other`: bytes that were never stored. */
  readonly found: "whole" | "missing" | "other" | "unreadable";
}

/** The artifacts in a bucket after all workers have ended, all leases have expired and everything was swept. */
export interface BucketState {
  /** The number of artifacts that were swept. */
  readonly swept: number;
  readonly rows: readonly BucketRow[];
  readonly objects: readonly { readonly name: string; readonly content: Uint8Array }[];
  /** The names of the stored parts of uploads. */
  readonly parts: readonly string[];
  /** Owners whose bytes are counted wrongly, one sentence each. */
  readonly miscounted: readonly string[];
}

/** One operation of the load, from its first attempt to its last answer. */
export interface Operation {
  readonly id: string;
  readonly kind: string;
  /** Why it has no end. Absent: it has ended. */
  readonly unfinished?: string;
  /** A result that cannot be correct, whatever the faults were. */
  readonly wrong?: string;
}

/** The use of an agent's budget of model turns. */
interface AgentBudget {
  readonly agent: string;
  readonly limit: number;
  readonly used: number;
  /** How often the agent was continued by another process. */
  readonly recoveries: number;
}

/** A request to a gateway that ended with an error in place of a response of the protocol. */
export interface ClientError {
  /** The kind of the client. */
  readonly client: string;
  /** The gateway that had the client's session, if that is known. */
  readonly holder?: string;
  readonly type: "session-lost" | "connection-lost" | "may-have-run" | "shutting-down" | "other";
  readonly text: string;
  readonly from: number;
  readonly until: number;
}

/** The content of the tables after all workers have ended and all leases have expired. */
export interface Tables {
  /** Rows that no process will ever end, one sentence each. */
  readonly unfinished: readonly string[];
  /** Bytes without an artifact, and artifacts with other bytes than counted, one sentence each. */
  readonly artifacts: readonly string[];
  /** A dump of the database, as text. */
  readonly dump: string;
}

/** Everything that is known about a run of the load. */
export interface History {
  readonly effects: readonly Effect[];
  readonly attempts: readonly Attempt[];
  readonly answers: readonly Answer[];
  readonly faults: readonly Fault[];
  readonly approvals: readonly ApprovalCase[];
  readonly artifactReads: readonly ArtifactRead[];
  /** The keys of artifacts whose object was deleted behind the back of their store. */
  readonly deletedArtifacts: readonly string[];
  readonly operations: readonly Operation[];
  readonly budgets: readonly AgentBudget[];
  readonly audit: readonly AuditRecord[];
  readonly tables: Tables;
  /** Absent: artifacts are in the database. */
  readonly bucket?: BucketState;
  /** Secrets that must not be readable in the database and in the bucket. */
  readonly secrets: readonly string[];
  /** The limit of the tool `limited`. */
  readonly rate: { readonly calls: number; readonly windowMs: number };
}

/** An invariant that does not hold. */
export interface Violation {
  /** `I1` to `I10`, or the name of what one scenario alone guarantees. */
  readonly invariant: string;
  readonly text: string;
}

/** The identity of a call over all attempts. */
export function toCallKey({
  runId,
  callId,
}: {
  readonly runId: string;
  readonly callId: string;
}): string {
  return `${runId}/${callId}`;
}

/** The entries by their key. */
export function groupBy<Entry>(
  entries: readonly Entry[],
  toKey: (entry: Entry) => string,
): ReadonlyMap<string, readonly Entry[]> {
  const groups = new Map<string, Entry[]>();
  for (const entry of entries) {
    const key = toKey(entry);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [entry]);
    else group.push(entry);
  }
  return groups;
}

/** The entries by the identity of their call. */
export function groupByCall<Entry extends { readonly runId: string; readonly callId: string }>(
  entries: readonly Entry[],
): ReadonlyMap<string, readonly Entry[]> {
  return groupBy(entries, toCallKey);
}
