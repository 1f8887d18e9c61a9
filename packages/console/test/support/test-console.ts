import {
  defineTool,
  suspend,
  ToolExecutor,
  ToolRegistry,
  type ExecutorOptions,
  type RegistryInput,
  type Tool,
} from "@toolweave/core";
import { memoryPendingCalls, type PendingCallStore } from "@toolweave/core/stores";
import {
  consoleHandler,
  ConsoleSessions,
  type ConsoleFile,
  type ConsoleHandler,
} from "../../src/index.ts";
import { deferred, type Deferred } from "./deferred.ts";
import { ManualClock } from "./manual-clock.ts";
import { authenticate, tokens, type TestRequest, type TestResponse } from "./open-console.ts";

export const origin = "http://127.0.0.1:8138";

/** A secret that no response may contain. */
export const secret = "fixture-secret-9f8e7d6c5b4a";

export const pageFiles: ReadonlyMap<string, ConsoleFile> = new Map([
  ["/index.html", file("<!doctype html><title>Studio</title>", "text/html; charset=utf-8", false)],
  ["/assets/page-1a2b.js", file("export {};", "text/javascript; charset=utf-8", true)],
]);

function file(text: string, mediaType: string, immutable: boolean): ConsoleFile {
  return { bytes: new TextEncoder().encode(text), mediaType, immutable };
}

/** The sender of a request: the session, the owner of a token, or a client without a token. */
export type Sender = "session" | keyof typeof tokens | null;

/** One process with a page, sessions, and tools whose ends a test decides. */
export class TestConsole {
  readonly clock: ManualClock = new ManualClock();
  readonly sessions: ConsoleSessions = new ConsoleSessions({
    caller: { id: "ada" },
    clock: this.clock,
  });
  readonly pendingCalls: PendingCallStore = memoryPendingCalls();
  readonly registry: ToolRegistry;
  readonly executor: ToolExecutor;
  readonly handler: ConsoleHandler;
  readonly token: string;
  /** Arguments of the tools that have run, in order. */
  readonly effects: string[] = [];
  /** Resolves when `wait` runs. */
  readonly running: Deferred = deferred();
  /** Ends the calls of `wait`. */
  readonly waiting: Deferred = deferred();

  constructor(inputs: readonly RegistryInput[] = [], options: Partial<ExecutorOptions> = {}) {
    this.registry = new ToolRegistry([testTools(this), ...inputs], { onProblem: () => {} });
    this.executor = new ToolExecutor({
      registry: this.registry,
      pendingCalls: this.pendingCalls,
      clock: this.clock,
      eventBacklog: 100,
      redact: { secrets: [secret] },
      ...options,
    });
    this.handler = consoleHandler({
      executor: this.executor,
      stores: { pendingCalls: this.pendingCalls },
      authenticate,
      sessions: this.sessions,
      files: pageFiles,
      origins: [origin],
    });
    this.token = this.startSession();
  }

  /** Starts a session, and returns its token. */
  startSession(): string {
    const session = this.sessions.start(this.sessions.createCode());
    if (session === undefined) throw new Error("The code was refused.");
    return session.token;
  }

  /** Sends a request, and returns its response as it is. */
  fetch(
    path: string,
    {
      method,
      as = "session",
      headers = {},
      json,
      body,
      signal,
    }: Omit<TestRequest, "as"> & { readonly as?: Sender; readonly signal?: AbortSignal } = {},
  ): Promise<Response> {
    const sent = json === undefined ? body : JSON.stringify(json);
    const token = as === null ? undefined : as === "session" ? this.token : tokens[as];
    return this.handler(
      new Request(`${origin}${path}`, {
        method: method ?? (sent === undefined ? "GET" : "POST"),
        headers: {
          host: new URL(origin).host,
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
          ...(json === undefined ? {} : { "content-type": "application/json" }),
          ...headers,
        },
        ...(sent === undefined ? {} : { body: sent }),
        ...(signal === undefined ? {} : { signal }),
      }),
    );
  }

  async send<Body = Record<string, unknown>>(
    path: string,
    request: Parameters<TestConsole["fetch"]>[1] = {},
  ): Promise<TestResponse<Body>> {
    const { status, headers, ...response } = await readResponse(await this.fetch(path, request));
    return { status, headers, body: response.body as Body };
  }

  /** Resolves with the state of a call that no longer runs. */
  async ended<State extends { readonly status: string }>(id: string): Promise<State> {
    for (;;) {
      const { body } = await this.send<State>(`/api/calls/${id}`);
      if (body.status !== "running") return body;
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
}

async function readResponse(
  response: Response,
): Promise<{ status: number; headers: Headers; body: unknown }> {
  const text = await response.text();
  const { status, headers } = response;
  return { status, headers, body: text === "" ? undefined : (JSON.parse(text) as unknown) };
}

function testTools(process: TestConsole): readonly Tool[] {
  const readOnly = { readOnlyHint: true } as const;
  return [
    defineTool({
      name: "add",
      title: "Add numbers",
      description: "Adds two numbers.\nThe second line.",
      input: {
        type: "object",
        properties: { a: { type: "number" }, b: { type: "number" } },
        required: ["a", "b"],
      },
      annotations: readOnly,
      execute: ({ a, b }) => {
        process.effects.push(`add ${a} ${b}`);
        return { sum: a + b };
      },
    }),
    defineTool({
      name: "pay",
      description: "Pays money to a person.",
      input: {
        type: "object",
        properties: {
          to: { type: "string" },
          pin: { type: "string", format: "password" },
        },
        required: ["to"],
        additionalProperties: false,
      },
      annotations: { destructiveHint: true },
      needsApproval: true,
      execute: ({ to }) => {
        process.effects.push(`pay ${to}`);
        return { paid: to };
      },
    }),
    defineTool({
      name: "wait",
      description: "Waits until the test continues.",
      input: { type: "object" },
      annotations: readOnly,
      execute: async (_, { signal }) => {
        process.effects.push("wait");
        process.running.resolve();
        const aborted = new Promise<never>((__, reject) =>
          signal.addEventListener("abort", () => reject(signal.reason as Error)),
        );
        await Promise.race([process.waiting.promise, aborted]);
        return "done";
      },
    }),
    defineTool({
      name: "leak",
      description: `Returns the secret ${secret}.`,
      input: {
        type: "object",
        properties: { to: { type: "string", default: secret, description: `Not ${secret}` } },
      },
      annotations: readOnly,
      execute: ({ to }) => ({ secret, to, [secret]: `${secret}${secret}` }),
    }),
    defineTool({
      name: "shop",
      description: "Pays by a call of its own.",
      input: { type: "object" },
      annotations: readOnly,
      execute: async (_, { scope, resumed }) => {
        const outcome =
          resumed === undefined
            ? await scope.execute({ id: "nested", name: "pay", arguments: { to: "shop" } })
            : await scope.resume(resumed.state as never);
        return outcome.status === "interrupted"
          ? suspend(outcome.interruption.requests, outcome.interruption as never)
          : outcome.result.content;
      },
    }),
  ];
}
