// A child process that runs an executor on a store. It runs the job of its argument, and sends the
// outcomes. Its tools write one line into a file each time they run.
import { appendFileSync } from "node:fs";
import { defineTool, suspend, ToolExecutor, ToolRegistry } from "@toolweave/core";
import type { Clock, Interruption, JsonValue, Tool, ToolOutcome } from "@toolweave/core";
import type { PendingCallStore } from "@toolweave/core/stores";
import { sqliteStore } from "../../../src/index.ts";

const [, , job = "", path = "", log = ""] = process.argv;

/** The messages of the tests: an interruption, with the time to begin. */
interface ResumeRequest {
  readonly interruption: Interruption;
  /** Milliseconds since the epoch. */
  readonly at?: number;
}

const hour = 60 * 60 * 1000;
/** All leases of ended processes have expired by then. */
const anHourLater: Clock = {
  now: () => Date.now() + hour,
  setTimeout: (callback, ms) => setTimeout(callback, ms),
  clearTimeout: (timer) => clearTimeout(timer as never),
};

const { pendingCalls, grants } = sqliteStore(
  job === "resume an hour later" ? { path, clock: anHourLater } : path,
);

/** Ends the process like a power cut: without cleanup. */
function cut(): never {
  process.kill(process.pid, "SIGKILL");
  for (;;);
}

/** The point at which the process dies, if the job names one. */
const diesIn = job.startsWith("die ") ? job.slice(4) : "";

const pay = defineTool({
  name: "pay",
  description: "Pays a bill.",
  input: {
    type: "object",
    properties: { bill: { type: "number" } },
    required: ["bill"],
    additionalProperties: false,
  },
  needsApproval: true,
  execute: ({ bill }) => {
    if (diesIn === "before the effect") cut();
    appendFileSync(log, `pay ${bill}\n`);
    if (diesIn === "after the effect") cut();
    return "paid";
  },
});

/** A tool that delegates the work to another, and passes on its interruption. */
function delegate(name: string, to: string): Tool {
  return defineTool({
    name,
    description: `Has ${to} do it.`,
    input: { type: "object" },
    execute: async (args, { scope, resumed }) => {
      const outcome =
        resumed === undefined
          ? await scope.execute({ id: `${name}>${to}`, name: to, arguments: args })
          : await scope.resume(resumed.state as unknown as Interruption);
      return outcome.status === "interrupted"
        ? suspend(outcome.interruption.requests, outcome.interruption as unknown as JsonValue)
        : outcome.status;
    },
  });
}

/** A call is stored, and the caller is not notified. */
const dyingStore: PendingCallStore = {
  async add(interruption) {
    await pendingCalls.add(interruption);
    cut();
  },
  claim: (interruption) => pendingCalls.claim(interruption),
  finish: (id) => pendingCalls.finish(id),
  get: (id) => pendingCalls.get(id),
  list: () => pendingCalls.list(),
};

const executor = new ToolExecutor({
  registry: new ToolRegistry([pay, delegate("buy", "order"), delegate("order", "pay")]),
  key: "the same in every process of this test",
  pendingCalls: diesIn === "before the event" ? dyingStore : pendingCalls,
  grants,
});

function tell(message: unknown): void {
  process.send?.(message);
}

/** The outcome of a call, in one word. */
function readCode(outcome: ToolOutcome): string {
  return outcome.status === "failed" ? outcome.error.code : outcome.status;
}

async function resume({ interruption, at = 0 }: ResumeRequest): Promise<string> {
  while (Date.now() < at);
  return readCode(await executor.resume(interruption, [{ type: "approve", by: "ada" }]));
}

if (job === "ask" || diesIn === "before the event") {
  process.on("message", (names: readonly string[]) => {
    void Promise.all(
      names.map((name, bill) => executor.execute({ id: `c${bill}`, name, arguments: { bill } })),
    ).then((outcomes) => tell(outcomes.map(readCode)));
  });
} else {
  process.on("message", (request: ResumeRequest) => void resume(request).then(tell));
}
// The parent has exited: this process is no longer needed.
process.once("disconnect", () => process.exit());
tell("ready");
