import { DBOS } from "@dbos-inc/dbos-sdk";

/** The processes that share the workflows: `replicas` of `postgresStore`. */
export interface Replicas {
  /** Announces this process, and renews its lease until `leave`. */
  join(id: string): Promise<void>;
  leave(id: string): Promise<void>;
  /** The ids of the processes whose lease has not expired, sorted. */
  alive(): Promise<readonly string[]>;
}

interface RecoveryOptions {
  readonly replicas: Replicas;
  readonly version: string;
  readonly leaseMs: number;
  readonly executorId: string;
  /** The names of the workflows. Those of other programs in the same database are not touched. */
  readonly names: readonly string[];
}

/**
 * Recovers the workflows of processes that have ended. DBOS itself recovers those of its own executor id only.
 *
 * One process does it at a time: the alive one with the first id. If two should do it at the same moment, or a process
 * was only paused, a workflow is repeated once more than needed; the ledger ensures that its calls are not.
 */
export class Recovery {
  readonly #options: RecoveryOptions;
  /** The executors that looked as if they had ended, in the last look. */
  #suspected: ReadonlySet<string> = new Set();
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> | undefined;

  constructor(options: RecoveryOptions) {
    this.#options = options;
  }

  start(): void {
    this.#timer = setInterval(() => {
      // A look that fails is repeated by the next one. One that is slow delays it.
      this.#looking ??= this.look()
        .catch(() => {})
        .finally(() => (this.#looking = undefined));
    }, this.#options.leaseMs);
    this.#timer.unref();
  }

  /** Resolves when no look is under way, and there is no further one. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#looking;
  }

  /** Looks for executors that have ended, and resumes the workflows of those that had ended in the last look, too. */
  async look(): Promise<void> {
    const { replicas, version, executorId, names } = this.#options;
    if (names.length === 0) return;
    const pending = await DBOS.listWorkflows({
      workflowName: [...names],
      status: "PENDING",
      applicationVersion: version,
      loadInput: false,
    });
    // After the list: a process that has started since is alive.
    const alive = await replicas.alive();
    const owners = new Set(pending.map((workflow) => workflow.executorId ?? ""));
    const before = this.#suspected;
    this.#suspected = new Set([...owners].filter((id) => id !== executorId && !alive.includes(id)));
    if (alive[0] !== executorId) return;
    for (const workflow of pending) {
      const owner = workflow.executorId ?? "";
      if (!this.#suspected.has(owner) || !before.has(owner)) continue;
      // Another process may have recovered it since.
      const [still] = await DBOS.listWorkflows({
        workflowIDs: [workflow.workflowID],
        status: "PENDING",
        executorId: owner,
        loadInput: false,
      });
      if (still !== undefined) await DBOS.resumeWorkflow(workflow.workflowID);
    }
  }
}
