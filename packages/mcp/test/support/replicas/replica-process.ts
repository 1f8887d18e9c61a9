/**
 * One of several gateways over HTTP with one store. Its argument is a `ReplicaProcess` in JSON. It sends its parent
 * "ready" when it listens, and the name of each tool that was stopped; it drains when its parent sends "drain".
 */
import { appendFileSync } from "node:fs";
import { defineTool, suspend, ToolExecutor, ToolRegistry } from "@toolweave/core";
import { postgresStore } from "@toolweave/postgres";
import { sqliteStore } from "@toolweave/stores";
import { forwardToClient, listenHttp, serveMcp } from "../../../src/gateway/index.ts";

/** The store of all replicas: an SQLite file, or a schema of a PostgreSQL database. */
export type ReplicaStore =
  | { readonly file: string }
  | { readonly url: string; readonly schema: string };

/** The options of the process. */
export interface ReplicaProcess {
  readonly name: string;
  readonly port: number;
  readonly key: string;
  readonly store: ReplicaStore;
  /** A file to which each run of a tool appends a line: the replica, the tool and the argument. */
  readonly effects: string;
}

const options = JSON.parse(process.argv[2] ?? "") as ReplicaProcess;
const { name, port, key, effects } = options;
const input = { type: "object", properties: { id: { type: "string" } } } as const;
const record = (tool: string, id: unknown): void =>
  appendFileSync(effects, `${name} ${tool} ${String(id ?? "")}\n`);

const tools = [
  defineTool({
    name: "where",
    description: "Returns the name of the replica.",
    input,
    execute: ({ id }) => (record("where", id), name),
  }),
  defineTool({
    name: "ask",
    description: "Asks while it runs.",
    input,
    async execute({ id }, ctx) {
      record("ask", id);
      ctx.progress({ message: "Asking", done: 1 });
      const { action } = await forwardToClient.onElicitation({ message: "Sure?" }, ctx);
      ctx.progress({ message: "Asked", done: 2 });
      return `${name}: ${action}`;
    },
  }),
  defineTool({
    name: "approve",
    description: "Needs an approval.",
    input,
    annotations: { needsApprovalHint: true },
    execute: ({ id }) => (record("approve", id), name),
  }),
  defineTool({
    name: "work",
    description: "Works until it is cancelled.",
    input,
    execution: "task",
    execute: ({ id }, { signal }) => {
      record("work", id);
      return new Promise((_, reject) => {
        signal.addEventListener("abort", () => {
          process.send?.("work was stopped");
          reject(signal.reason as Error);
        });
      });
    },
  }),
  defineTool({
    name: "ask_as_task",
    description: "A task that waits for a person.",
    input,
    execution: "task",
    execute: ({ id }, { resumed }) => {
      record("ask_as_task", id);
      const [answer] = resumed?.answers ?? [];
      if (answer?.type === "input") return `${name}: ${JSON.stringify(answer.value)}`;
      return suspend([{ id: "q", type: "input", message: "Which one?" }], null);
    },
  }),
  defineTool({
    name: "live_task",
    description: "A task that asks while it runs.",
    input,
    execution: "task",
    async execute({ id }, ctx) {
      record("live_task", id);
      const { action } = await forwardToClient.onElicitation({ message: "Sure?" }, ctx);
      return `${name}: ${action}`;
    },
  }),
];

const { store: place } = options;
const store =
  "file" in place
    ? sqliteStore(place.file)
    : postgresStore({ connectionString: place.url, schema: place.schema, key });
const registry = new ToolRegistry(tools);
const executor = new ToolExecutor({
  registry,
  key,
  pendingCalls: store.pendingCalls,
  tasks: store.tasks,
  policy: { preset: "autonomous", rules: [{ tools: "approve", effect: "ask" }] },
});
const gateway = serveMcp(registry, executor, {
  key,
  replica: { url: `http://127.0.0.1:${port}/mcp` },
  rateLimits: store.rateLimits,
  limits: { callsPerMinute: 100_000 },
});
const listener = await listenHttp(gateway, {
  port,
  // The token is the name of the caller.
  authenticate: (request) => {
    const token = /^Bearer (\w+)$/.exec(request.headers.get("authorization") ?? "")?.[1];
    return { id: token ?? "anonymous" };
  },
});
process.on("message", (message) => {
  if (message === "drain") gateway.drain();
  if (message === "close") {
    void Promise.all([gateway.close({ graceMs: 1_000 }), listener.close(2_000)]).then(() =>
      process.exit(0),
    );
  }
});
process.once("disconnect", () => process.exit());
process.send?.("ready");
