import { parentPort, workerData } from "node:worker_threads";
import { ToolError } from "../contract/tool-error.ts";
import { toErrorMessage } from "../contract/error-message.ts";
import type { PreflightContext, Tool, ToolContext } from "../contract/tool.ts";
import { ToolExecutor } from "../executor/tool-executor.ts";
import { ToolRegistry } from "../registry/tool-registry.ts";
import type { ErrorData, ThreadMessage, ThreadRequest } from "./messages.ts";

// The script of a thread of `workerSource`: it runs the tools of one module, one call at a time.

const post = (message: ThreadMessage): void => parentPort?.postMessage(message);
const { module } = workerData as { readonly module: string };
const exported = Object.values((await import(module)) as Record<string, unknown>).flat();
const tools = new Map(exported.filter(isTool).map((tool) => [tool.spec.name, tool]));
let request: ThreadRequest | undefined;
/** The work of the current call's tool. */
let work: unknown;
let cancellation = new AbortController();

// The host's executor validates, authorizes, limits and redacts. This one turns what a tool returns into an output.
const executor = new ToolExecutor({
  registry: new ToolRegistry([...tools.values()].map(toPlainTool)),
  policy: () => "allow",
  redact: false,
  maxOutputBytes: Infinity,
  timeoutMs: 0,
  maxTimeoutMs: 0,
  largeOutputs: { onOverflow: "clip", maxMediaBytes: Infinity },
});

parentPort?.on("message", (message: ThreadRequest | "abort") => {
  if (message === "abort") return cancellation.abort();
  void (message.type === "call" ? call(message) : preflight(message));
});
post({
  type: "tools",
  tools: Array.from(tools.values(), ({ spec, preflight: asks, argumentsValidation }) => ({
    spec: JSON.parse(JSON.stringify(spec)) as Tool["spec"],
    hasPreflight: asks !== undefined,
    validatesArguments: argumentsValidation === "tool",
  })),
});

async function call(current: ThreadRequest): Promise<void> {
  const { callId = "", runId = "", sessionId, caller, injected } = current.context;
  request = current;
  cancellation = new AbortController();
  const run = executor.startRun({
    ...{ id: runId, injected, inlineBinary: true },
    ...(sessionId === undefined ? {} : { sessionId }),
    ...(caller === undefined ? {} : { caller }),
  });
  const outcome = await run.execute(
    { id: callId, name: current.tool, arguments: current.args },
    { signal: cancellation.signal, onUpdate: (output) => post({ type: "update", output }) },
  );
  if (outcome.status === "completed") {
    const { content, value, details, isError } = outcome.result;
    const answer = {
      ...{ content, isError },
      ...(value === undefined ? {} : { value }),
      ...(details === undefined ? {} : { details }),
    };
    if (outcome.error === undefined) post({ type: "answer", answer });
    else post({ type: "error", error: toErrorData(outcome.error), output: answer });
  } else if (outcome.status === "failed") {
    post({ type: "error", error: toErrorData(outcome.error) });
  } else {
    const message = `${current.tool} cannot wait for a person in a worker thread.`;
    post({ type: "error", error: toErrorData(new ToolError("internal", message)) });
  }
  // A tool that ignores its cancellation still runs: the thread takes no other call.
  await Promise.resolve(work).catch(() => {});
  post({ type: "idle" });
}

async function preflight({ tool, args, context }: ThreadRequest): Promise<void> {
  try {
    const { signal } = new AbortController();
    const ctx = { ...context, toolName: tool, signal } as PreflightContext;
    post({ type: "answer", answer: (await tools.get(tool)?.preflight?.(args, ctx)) ?? [] });
  } catch (thrown) {
    const error = ToolError.is(thrown)
      ? thrown
      : new ToolError("execution_failed", toErrorMessage(thrown));
    post({ type: "error", error: toErrorData(error) });
  }
  post({ type: "idle" });
}

/** The tool without what the host's executor does: approval, retries and timeouts. */
function toPlainTool({ spec, ...tool }: Tool): Tool {
  const { retry: _, timeoutMs: __, ...plain } = spec;
  return {
    spec: { ...plain, annotations: {}, execution: "inline" },
    ...(tool.argumentsValidation === "tool" ? { argumentsValidation: "tool" as const } : {}),
    ...(tool.parseOutput === undefined
      ? {}
      : { parseOutput: (value) => tool.parseOutput?.(value) }),
    ...(tool.validate === undefined ? {} : { validate: (args) => tool.validate?.(args) }),
    invoke: (args, ctx) => (work = tool.invoke(args, toThreadContext(ctx))) as never,
  };
}

/** The context with what the host's executor has set, and without what does not reach it. */
function toThreadContext(ctx: ToolContext): ToolContext {
  const { context, idempotencyKey } = request as ThreadRequest;
  const local: Partial<Record<PropertyKey, unknown>> = {
    ...{ attempt: context.attempt, turnId: context.turnId, permissions: context.permissions },
    idempotencyKey: async () => idempotencyKey,
    progress: (progress: never) => post({ type: "progress", progress }),
  };
  return new Proxy(ctx, {
    get(target, key) {
      if (key === "scope" || key === "artifacts" || key === "checkpoint") {
        throw new ToolError("internal", `A tool in a worker thread has no ctx.${key}.`);
      }
      return Object.hasOwn(local, key) ? local[key] : Reflect.get(target, key, target);
    },
  });
}

function toErrorData(error: ToolError): ErrorData {
  const { code, message, retryable, audience, status, body, retryAfterMs } = error;
  return JSON.parse(
    JSON.stringify({ code, message, retryable, audience, status, body, retryAfterMs }),
  ) as ErrorData;
}

function isTool(value: unknown): value is Tool {
  const { spec, invoke } = (value ?? {}) as Partial<Tool>;
  return typeof spec?.name === "string" && typeof invoke === "function";
}
