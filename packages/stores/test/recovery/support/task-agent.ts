// A child process that runs tasks on a store. Its tools write one line into a file each time they
// begin. Its job is the duration of its leases, in milliseconds.
import { appendFileSync } from "node:fs";
import { defineTool, ToolExecutor, ToolRegistry, type JsonObject } from "@toolweave/core";
import { sqliteStore } from "../../../src/index.ts";

const [, , leaseMs = "", path = "", log = ""] = process.argv;

/** The requests of the tests. */
export interface AgentRequest {
  readonly job: "begin" | "look";
  readonly tool?: "quick" | "long" | "soon";
  readonly count?: number;
  readonly ids?: readonly string[];
}

/** The status of a task, and its outcome. */
export interface Seen {
  readonly id: string;
  readonly status: string;
  readonly code?: string;
  /** The outcome as JSON. */
  readonly outcome: string;
}

const store = sqliteStore({ path, leaseMs: Number(leaseMs) });
const behalf = { sessionId: "s", caller: { id: "ada" } };
const input = {
  type: "object",
  properties: { n: { type: "number" } },
  required: ["n"],
} as const;

function task(name: string, work: (n: number) => Promise<unknown>) {
  return defineTool({
    name,
    description: `A ${name} task.`,
    input,
    execution: "task",
    execute: async ({ n }) => {
      appendFileSync(log, `${name} ${n}\n`);
      return (await work(n)) as JsonObject;
    },
  });
}

const turns = async (count: number): Promise<void> => {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
};

const executor = new ToolExecutor({
  registry: new ToolRegistry([
    task("quick", async (n) => ({ n, text: `😀\u2028${"x".repeat(n * 100)}` })),
    // Ends some time later, each at another one.
    task("soon", async (n) => {
      await turns(n * 20);
      return { n };
    }),
    task("long", () => new Promise(() => {})),
  ]),
  tasks: store.tasks,
});

function tell(message: unknown): void {
  process.send?.(message);
}

async function begin(tool: string, count: number): Promise<readonly string[]> {
  const outcomes = await Promise.all(
    Array.from({ length: count }, (_entry, n) =>
      executor.execute({ id: `${tool}-${n}`, name: tool, arguments: { n } }, behalf),
    ),
  );
  return outcomes.map((outcome) => {
    if (outcome.status === "interrupted" || outcome.result.taskId === undefined) {
      throw new Error(`No task: ${JSON.stringify(outcome)}`);
    }
    return outcome.result.taskId;
  });
}

async function look(id: string): Promise<Seen> {
  const { status, error } = await executor.tasks.status(id, behalf);
  const outcome = await executor.tasks.result(id, { ...behalf, waitMs: 0 });
  const json = JSON.stringify(outcome ?? null);
  return { id, status, ...(error === undefined ? {} : { code: error.code }), outcome: json };
}

executor.on((event) => {
  if (event.type === "task.completed") tell({ ended: event.taskId });
});
process.on("message", ({ job, tool = "quick", count = 0, ids = [] }: AgentRequest) => {
  const work = job === "begin" ? begin(tool, count) : Promise.all(ids.map(look));
  work.then(tell, (error: unknown) => tell({ failed: String(error) }));
});
// The parent has exited: this process is no longer needed.
process.once("disconnect", () => process.exit());
tell("ready");
