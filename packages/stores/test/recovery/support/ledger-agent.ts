// A child process that makes the calls of one durable run, in order, and sends each outcome. Its tool
// writes one line into a file each time it runs. Its job names the point at which the process dies,
// and the number of the call: `after the effect 2`; or no point.
import { appendFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { defineTool, ToolExecutor, ToolRegistry } from "@toolweave/core";
import type { CallLedger } from "@toolweave/core/stores";
import { sqliteStore } from "../../../src/index.ts";

const [, , job = "", path = "", log = ""] = process.argv;

/** The outcome of one call, as the test compares it. */
export interface CallOutcome {
  readonly call: number;
  readonly code: string;
  readonly outcome: string;
}

/** The number of calls of the run. */
const count = 8;

/** Ends the process like a power cut at its point: without cleanup. */
function cut(point: string, callId: string): void {
  if (job !== `${point} ${callId}`) return;
  process.kill(process.pid, "SIGKILL");
  for (;;);
}

const { ledger } = sqliteStore({ path, leaseMs: 200 });
const cutting: CallLedger = {
  async begin(call) {
    cut("before the claim", call.callId);
    const entry = await ledger.begin(call);
    cut("after the claim", call.callId);
    return entry;
  },
  async end(claim, end) {
    cut("after the effect", claim.callId);
    const isStored = await ledger.end(claim, end);
    cut("after the end", claim.callId);
    return isStored;
  },
};
const pay = defineTool({
  name: "pay",
  description: "Pays a bill.",
  input: { type: "object", properties: { bill: { type: "number" } }, required: ["bill"] },
  execute: async ({ bill }) => {
    await wait(5 * Math.random());
    appendFileSync(log, `pay ${bill}\n`);
    await wait(5 * Math.random());
    return { bill, at: performance.now() };
  },
});

function tell(message: unknown): void {
  process.send?.(message);
}

async function drive(): Promise<void> {
  const executor = new ToolExecutor({
    registry: new ToolRegistry([pay]),
    policy: "autonomous",
    key: "the same in every process of this test",
    ledger: cutting,
  });
  const run = executor.startRun({ id: "run", durable: true });
  for (let bill = 0; bill < count; bill++) {
    const outcome = await run.execute({ id: String(bill), name: "pay", arguments: { bill } });
    const code = outcome.status === "failed" ? outcome.error.code : outcome.status;
    tell({ call: bill, code, outcome: JSON.stringify(outcome) } satisfies CallOutcome);
  }
  tell("done");
}

process.on("message", () => void drive());
// The parent has exited: this process is no longer needed.
process.once("disconnect", () => process.exit());
tell("ready");
