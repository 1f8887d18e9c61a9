import type { Answer, ApprovalCase, ArtifactRead, Attempt, Fault, Operation } from "./history.ts";

/** Collects what happens while the load runs. */
export class Recorder {
  readonly attempts: Attempt[] = [];
  readonly answers: Answer[] = [];
  readonly faults: Fault[] = [];
  readonly approvals: ApprovalCase[] = [];
  readonly artifactReads: ArtifactRead[] = [];
  readonly deletedArtifacts: string[] = [];
  readonly operations: Operation[] = [];

  /** Records a fault that lasts until the returned function is called. */
  beginFault(kind: Fault["kind"], worker?: string): () => void {
    const index = this.faults.length;
    const fault = { kind, from: Date.now(), ...(worker === undefined ? {} : { worker }) };
    this.faults.push({ ...fault, until: Infinity });
    return () => (this.faults[index] = { ...fault, until: Date.now() });
  }

  /** Records an attempt; the returned function records that it was answered. */
  beginAttempt(attempt: Omit<Attempt, "until">): () => void {
    const index = this.attempts.length;
    this.attempts.push(attempt);
    return () => (this.attempts[index] = { ...attempt, until: Date.now() });
  }
}
