// A process that runs durable agents, one replica of several. It is killed at any moment.
import { durableAgent, type DurableEngine } from "@toolweave/durable";
import { postgresStore } from "@toolweave/postgres";
import { effectLog } from "../effect-log/client.ts";
import { chaosAgent } from "./agent.ts";
import { connectEngine } from "./agent-engine.ts";
import { watchDelays } from "./delays.ts";
import {
  agentName,
  workerKey,
  type SentRequest,
  type WorkerReply,
  type WorkerSettings,
} from "./messages.ts";

const settings = JSON.parse(process.env["CHAOS_WORKER"] ?? "") as WorkerSettings;
const { name: worker, url, schema, leaseMs } = settings;
if (settings.engine === undefined) throw new Error("The settings have no engine.");
const log = effectLog(settings.effectLogPort);
const store = postgresStore({ connectionString: url, schema, key: workerKey, leaseMs });
const { engine, start } = connectEngine(settings.engine, settings, store);

/** Records each time that this worker starts or continues a run, and its end here. */
const recorded: DurableEngine = {
  workflow: (name, run) =>
    engine.workflow(name, async (input, steps) => {
      const { id: runId, epoch } = steps;
      const start = crypto.randomUUID();
      await log.addEvent({
        ...{ event: "run", runId, worker, start },
        ...(epoch === undefined ? {} : { epoch }),
      });
      try {
        return await run(input, steps);
      } finally {
        await log.addEvent({ event: "run-end", start });
      }
    }),
};
const agent = durableAgent(recorded, { name: agentName, ...chaosAgent(worker, store, log) });
await start();

async function answer(request: SentRequest): Promise<Omit<WorkerReply, "attempt">> {
  if (request.type !== "agent-run") throw new Error("This worker only runs agents.");
  const { runId } = request;
  await agent.start(runId, { prompt: runId });
  const result = await agent.result(runId);
  return result.status === "completed" && result.text === "Done."
    ? { status: "completed" }
    : { status: "failed", code: result.status, message: JSON.stringify(result).slice(0, 500) };
}

process.on("message", (request: SentRequest) => {
  const { attempt } = request;
  void answer(request)
    .catch((error: unknown) => ({
      ...({ status: "failed", code: "internal" } as const),
      message: error instanceof Error ? error.message : String(error),
    }))
    .then((reply) => process.send?.({ attempt, ...reply } satisfies WorkerReply));
});
watchDelays(leaseMs);
process.once("disconnect", () => process.exit());
// Ctrl-C reaches the whole process group: the program ends its workers itself.
process.on("SIGINT", () => {});
process.send?.("ready");
