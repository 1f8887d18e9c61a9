import { AsyncLocalStorage } from "node:async_hooks";
import { randomUUID } from "node:crypto";
import { DBOS, type DBOSConfig } from "@dbos-inc/dbos-sdk";
import { ToolError, type JsonValue } from "@toolweave/core";
import { checkOptions } from "@toolweave/core/adapter";
import type {
  DurableEngine,
  EngineWorkflow,
  WorkflowStatus,
  WorkflowSteps,
} from "../agent/durable-engine.ts";
import { Recovery, type Replicas } from "./recovery.ts";

/** Where the workflows are stored, and which processes share them. */
export interface DbosEngineOptions {
  /** The PostgreSQL of DBOS: `postgres://user:password@host/database`. It may be that of `postgresStore`. */
  readonly databaseUrl: string;
  /**
   * The version of the agents, which you change by hand when a run that has started cannot be repeated with the new
   * code. A process recovers and starts runs of its own version only. DBOS's own default, a hash of the code, would
   * strand every run at each release.
   */
  readonly version: string;
  /** The processes that are alive: `replicas` of `postgresStore`. */
  readonly replicas: Replicas;
  /** The lease of `replicas`, in milliseconds. A process counts as ended in two looks, that far apart. Default: 30,000. */
  readonly leaseMs?: number;
  /** The name of the application in DBOS. Default: `toolweave`. */
  readonly application?: string;
  /** The schema of DBOS's tables. Default: `dbos`. */
  readonly schema?: string;
  /** Further options of DBOS, such as `logLevel` and `systemDatabasePoolSize`. */
  readonly dbos?: Omit<
    DBOSConfig,
    "name" | "systemDatabaseUrl" | "applicationVersion" | "executorID" | "systemDatabaseSchemaName"
  >;
}

/** Workflows of DBOS. */
export interface DbosEngine extends DurableEngine {
  /** The id of this process in DBOS and among the replicas: another one after each start. */
  readonly executorId: string;
  /**
   * Starts DBOS, after all agents and workflows have been defined, and recovers the workflows of processes that have
   * ended. DBOS makes its tables without a lock: make them before several processes start with a new database.
   *
   * @throws ToolError `store_unavailable` when the database does not answer.
   */
  launch(): Promise<void>;
  /**
   * Stops DBOS. Steps that run are given `graceMs` to end; another process repeats the rest.
   *
   * @param graceMs milliseconds. Default: 0.
   */
  close(graceMs?: number): Promise<void>;
}

/** DBOS has one application per process. */
let current: DbosEngine | undefined;

/** The name of the event with the value that a workflow has published. */
const publishedEvent = "published";

/**
 * An engine on DBOS: workflows in PostgreSQL, run by the processes that start them. DBOS recovers only the workflows of
 * its own process; this engine recovers those of others, too, with DBOS's public API.
 *
 * @throws ToolError `invalid_configuration` for an option that is not valid, and if this process has DBOS already.
 * @example
 * ```ts
 * const databaseUrl = "postgres://toolweave@db.internal/toolweave";
 * const { replicas } = postgresStore({ connectionString: databaseUrl });
 * const engine = dbosEngine({ databaseUrl, version: "1", replicas });
 * const clerk = durableAgent(engine, { name: "clerk", model, executor });
 * await engine.launch();
 * ```
 */
export function dbosEngine(options: DbosEngineOptions): DbosEngine {
  checkOptions("dbosEngine", options, [
    "databaseUrl",
    "version",
    "replicas",
    "leaseMs",
    "application",
    "schema",
    "dbos",
  ]);
  const { databaseUrl, version, replicas, leaseMs = 30_000 } = options;
  if (typeof databaseUrl !== "string") throw invalid("databaseUrl is no text.");
  if (typeof version !== "string" || version === "") {
    throw invalid('version is missing; pass a text that you change by hand, such as "1".');
  }
  if (typeof replicas?.alive !== "function") {
    throw invalid("replicas is missing; pass postgresStore(…).replicas.");
  }
  if (!(Number.isFinite(leaseMs) && leaseMs > 0 && leaseMs < 2 ** 31)) {
    throw invalid("leaseMs is no number of milliseconds above 0.");
  }
  if (current !== undefined || DBOS.isInitialized()) {
    throw invalid(
      "this process has a DBOS application already, and DBOS can have only one. Define all agents and workflows with one engine, before it is launched.",
    );
  }
  return (current = new Engine(options, leaseMs));
}

class Engine implements DbosEngine {
  readonly executorId = randomUUID();
  readonly #options: DbosEngineOptions;
  readonly #recovery: Recovery;
  readonly #names: string[] = [];
  #isLaunched = false;
  #isClosing = false;
  /** Runs a function outside of the workflow that has called it. */
  readonly #outside = AsyncLocalStorage.snapshot();

  constructor(options: DbosEngineOptions, leaseMs: number) {
    this.#options = options;
    const { replicas, version } = options;
    const { executorId } = this;
    this.#recovery = new Recovery({ replicas, version, leaseMs, executorId, names: this.#names });
  }

  workflow(
    name: string,
    run: (input: JsonValue, steps: WorkflowSteps) => Promise<JsonValue>,
  ): EngineWorkflow {
    if (this.#isLaunched) {
      throw invalid(`${name} was defined after launch; define all agents before.`);
    }
    this.#names.push(name);
    const registered = DBOS.registerWorkflow(
      async (input: JsonValue): Promise<JsonValue> => {
        try {
          return await run(input, await this.#steps());
        } catch (error) {
          if (!this.#isClosing) throw error;
          // DBOS would store the error as the end of the workflow, which another process continues.
          return new Promise(() => {});
        }
      },
      // Recovery counts no attempts: a workflow that was recovered too often would be left in the database unseen.
      { name, maxRecoveryAttempts: 2 ** 31 - 1 },
    );
    return new DbosWorkflow(registered);
  }

  async launch(): Promise<void> {
    const { databaseUrl, version, application = "toolweave", schema, dbos } = this.#options;
    this.#isLaunched = true;
    DBOS.setConfig({
      logLevel: "warn",
      ...dbos,
      name: application,
      systemDatabaseUrl: databaseUrl,
      applicationVersion: version,
      executorID: this.executorId,
      ...(schema === undefined ? {} : { systemDatabaseSchemaName: schema }),
    });
    // Before the first workflow starts here: another process must not take this one for ended.
    await this.#options.replicas.join(this.executorId);
    try {
      await DBOS.launch();
    } catch (cause) {
      await this.close();
      throw new ToolError("store_unavailable", "DBOS did not start: see the cause.", { cause });
    }
    this.#recovery.start();
  }

  async close(graceMs = 0): Promise<void> {
    this.#isClosing = true;
    await this.#recovery.stop();
    await DBOS.shutdown({ deregister: true, workflowCompletionTimeoutMS: graceMs });
    if (current === this) current = undefined;
    await this.#options.replicas.leave(this.executorId);
  }

  /** The steps of the workflow that runs now. */
  async #steps(): Promise<WorkflowSteps> {
    const id = DBOS.workflowID as string;
    // A tool may be started by the end of a call of another workflow, and would make its steps in that one.
    const inside = AsyncLocalStorage.snapshot();
    const status = await this.#outside(() => DBOS.getWorkflowStatus(id));
    const cancelled = new AbortController();
    return {
      id,
      // The database's time at which the workflow came to this process.
      ...(status?.updatedAt === undefined ? {} : { epoch: status.updatedAt }),
      signal: cancelled.signal,
      step: (name, work) =>
        inside(() =>
          DBOS.runStep(
            async () => {
              DBOS.stepStatus?.cancelSignal.addEventListener("abort", () => cancelled.abort());
              return work();
            },
            { name },
          ),
        ),
      message: async (name, expiresAt) => {
        const message = await inside(() =>
          DBOS.recv<JsonValue>(name, { deadlineEpochMS: expiresAt }),
        );
        return message ?? undefined;
      },
      publish: (value) => inside(() => DBOS.setEvent(publishedEvent, value)),
    };
  }
}

class DbosWorkflow implements EngineWorkflow {
  readonly #registered: (input: JsonValue) => Promise<JsonValue>;

  constructor(registered: (input: JsonValue) => Promise<JsonValue>) {
    this.#registered = registered;
  }

  async start(id: string, input: JsonValue): Promise<void> {
    await DBOS.startWorkflow(this.#registered, { workflowID: id })(input);
  }

  async send(id: string, name: string, message: JsonValue): Promise<void> {
    await DBOS.send(id, message, name, `${id} ${name}`);
  }

  async status(id: string): Promise<WorkflowStatus | undefined> {
    const found = await DBOS.getWorkflowStatus(id);
    switch (found?.status) {
      case undefined:
        return undefined;
      case "SUCCESS":
        return { status: "ended", output: found?.output as JsonValue };
      case "CANCELLED":
        return { status: "cancelled" };
      case "ERROR":
        return { status: "failed", message: toMessage(found?.error) };
      case "PENDING":
      case "ENQUEUED":
      case "DELAYED": {
        const options = { timeoutSeconds: 0 };
        const published = await DBOS.getEvent<JsonValue>(id, publishedEvent, options);
        return { status: "running", published: published ?? undefined };
      }
      default:
        return { status: "failed", message: `DBOS reports ${found?.status}` };
    }
  }

  async ended(id: string): Promise<void> {
    try {
      await DBOS.getResult(id);
    } catch (error) {
      const status = await this.status(id);
      if (status?.status === "running") throw error;
    }
  }

  async cancel(id: string): Promise<void> {
    await DBOS.cancelWorkflow(id);
  }
}

function toMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function invalid(message: string): ToolError {
  return new ToolError("invalid_configuration", `dbosEngine: ${message}`);
}
