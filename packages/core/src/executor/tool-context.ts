import type { Answer } from "../spec/interruption.ts";
import type { ArtifactWriter, PreflightContext, ToolContext, ToolScope } from "../spec/tool.ts";
import type { Caller } from "../spec/caller.ts";
import type { JsonValue } from "../spec/json.ts";
import { ToolError } from "../tool-error.ts";
import type { Execution } from "./execution.ts";
import { executeNested } from "./nested.ts";

/** The context of a running tool: a view of its execution, most of it made when read. */
export class ExecutionContext implements ToolContext {
  readonly #execution: Execution;
  readonly attempt: number;

  constructor(execution: Execution) {
    this.#execution = execution;
    this.attempt = execution.attempt;
  }

  get callId(): string {
    return this.#execution.call.id;
  }

  get toolName(): string {
    return this.#execution.call.name;
  }

  get runId(): string {
    return this.#execution.run.id;
  }

  // `exactOptionalPropertyTypes` wants absent, which a getter cannot be: hence the casts below.
  get turnId(): string {
    return this.#execution.run.turnId as string;
  }

  get sessionId(): string {
    return this.#execution.run.sessionId as string;
  }

  get caller(): Caller {
    return this.#execution.run.caller as Caller;
  }

  get signal(): AbortSignal {
    return this.#execution.signal;
  }

  get injected(): unknown {
    return this.#execution.run.injected;
  }

  get resumed(): { state: JsonValue; answers: readonly Answer[] } {
    return this.#execution.resumption?.suspended as {
      state: JsonValue;
      answers: readonly Answer[];
    };
  }

  get scope(): ToolScope {
    const execution = this.#execution;
    return { execute: (call, options) => executeNested(execution, call, options) };
  }

  get artifacts(): ArtifactWriter {
    return noStore;
  }

  // Getters, as `scope`: tools take their context apart.
  get update(): ToolContext["update"] {
    const execution = this.#execution;
    return (output) => {
      if (execution.ended) return;
      execution.engine.events.emitCall(execution, { type: "tool.updated", output });
    };
  }

  get progress(): ToolContext["progress"] {
    const execution = this.#execution;
    return (progress) => {
      if (execution.ended) return;
      execution.engine.events.emitCall(execution, { type: "tool.progressed", progress });
    };
  }

  get checkpoint(): ToolContext["checkpoint"] {
    const execution = this.#execution;
    return (state) => void (execution.checkpoint = state);
  }
}

const noStore: ArtifactWriter = {
  write: () =>
    Promise.reject(new ToolError("store_unavailable", "This executor has no artifact store.")),
};

/** What a preflight may know: nothing that could have an effect. */
export function preflightContext(execution: Execution): PreflightContext {
  const { run, call } = execution;
  return {
    callId: call.id,
    toolName: call.name,
    runId: run.id,
    ...(run.sessionId === undefined ? {} : { sessionId: run.sessionId }),
    ...(run.caller === undefined ? {} : { caller: run.caller }),
    get signal() {
      return execution.signal;
    },
  };
}
