/**
 * One machine: a process with an engine and an agent, which records its effects and its turns at the effects server. The
 * argument is a `MachineConfig` as JSON. It prints `ready`, and ends with its input.
 */
import { createServer } from "node:http2";
import { createEndpointHandler } from "@restatedev/restate-sdk";
import { defineTool, ToolExecutor, ToolRegistry, type JsonValue } from "@toolweave/core";
import { durableAgent, type DurableEngine, type WorkflowSteps } from "@toolweave/durable";
import { dbosEngine } from "@toolweave/durable/dbos";
import { restateEngine } from "@toolweave/durable/restate";
import { postgresStore } from "@toolweave/postgres";
import { subAgentTool } from "@toolweave/subagent";
import { scriptedModel, type Asked, type Said } from "./scripted-model.ts";

/** What a machine runs. */
export interface MachineConfig {
  readonly machine: string;
  readonly engine: "dbos" | "restate";
  /** `agent`: a durable agent. `bare`: the same turns and calls as plain steps of the engine, without the ledger. */
  readonly mode: "agent" | "bare";
  readonly script: "long" | "short";
  readonly databaseUrl: string;
  readonly schema: string;
  readonly leaseMs: number;
  readonly effectsUrl: string;
  /** Of Restate: the address to serve on. */
  readonly host: string;
  readonly port: number;
  readonly ingressUrl: string;
  /** Starts the run with this id. */
  readonly start?: string;
}

const config = JSON.parse(process.argv[2] ?? "{}") as MachineConfig;
const { machine, schema, leaseMs, databaseUrl } = config;

async function record(kind: "effect" | "turn", name: string): Promise<void> {
  await fetch(config.effectsUrl, {
    method: "POST",
    body: JSON.stringify({ kind, name, machine }),
  });
}

/** Twenty turns; two of them delegate, one makes two calls at once. */
function long({ turn }: Asked): Said {
  if (turn === 19) return { text: "Done." };
  if (turn === 7 || turn === 13) {
    const name = turn === 7 ? "clerk" : "researcher";
    return { calls: [{ id: `call_${turn}`, name, input: { task: `Part ${turn}.` } }] };
  }
  const items = turn === 5 ? [`${turn}a`, `${turn}b`] : [`${turn}`];
  return { calls: items.map((item) => ({ id: `call_${item}`, name: "act", input: { item } })) };
}

function short({ turn }: Asked): Said {
  return turn === 0
    ? { calls: [{ id: "call_1", name: "act", input: { item: "PAY" } }] }
    : { text: "Done." };
}

/** Three turns, two of which act. */
function helper({ turn, task }: Asked): Said {
  return turn < 2
    ? { calls: [{ id: `sub_${turn}`, name: "act", input: { item: `${task} ${turn}` } }] }
    : { text: "The part is done." };
}

const scripts = { long, short };
const script = scripts[config.script];

function model(who: string, of: (asked: Asked) => Said) {
  return scriptedModel(async (asked) => {
    await record("turn", `${who} ${asked.turn}`);
    return of(asked);
  });
}

function agentOptions() {
  const act = defineTool({
    name: "act",
    description: "Acts.",
    input: { type: "object", properties: { item: { type: "string" } }, required: ["item"] },
    execute: async ({ item }) => {
      await record("effect", item);
      return `${item} is done`;
    },
  });
  const sub = (name: string) =>
    subAgentTool({
      name,
      description: "Does a part.",
      system: "You do a part.",
      model: model(name, helper),
      tools: ["act"],
    });
  const store = postgresStore({ connectionString: databaseUrl, schema, key, leaseMs });
  const { ledger, pendingCalls } = store;
  const executor = new ToolExecutor({
    registry: new ToolRegistry([act, sub("clerk"), sub("researcher")]),
    ledger,
    pendingCalls,
    key,
    policy: "autonomous",
  });
  return { store, agent: { executor, model: model("agent", script), limits: { turns: 60 } } };
}

/** The same agent as a user of the engine writes it: a step for each turn and call. */
async function bare(_: JsonValue, steps: WorkflowSteps): Promise<JsonValue> {
  const work = async (who: string, of: (asked: Asked) => Said, task: string): Promise<void> => {
    for (let turn = 0; ; turn++) {
      const said = await steps.step(`${who} turn ${turn}`, async () => {
        await record("turn", `${who} ${turn}`);
        return JSON.parse(JSON.stringify(of({ turn, task, results: [] }))) as JsonValue;
      });
      const { calls = [] } = said as Said;
      if (calls.length === 0) return;
      for (const { id, name, input } of calls) {
        if (name === "act") {
          await steps.step(`${who} ${id}`, async () => {
            await record("effect", String(input?.["item"]));
            return "done";
          });
        } else await work(name, helper, String(input?.["task"]));
      }
    }
  };
  await work("agent", script, "Work.");
  return "Done.";
}

const key = "a key of the tests that has 32 bytes or more";
const { store, agent } = agentOptions();
const input = { prompt: "Work." };

function define(engine: DurableEngine): (id: string) => Promise<void> {
  if (config.mode === "bare") {
    const workflow = engine.workflow("bare", bare);
    return (id) => workflow.start(id, input);
  }
  const durable = durableAgent(engine, { name: "agent", ...agent });
  return (id) => durable.start(id, input);
}

if (config.engine === "dbos") {
  const engine = dbosEngine({
    databaseUrl,
    version: "1",
    replicas: store.replicas,
    leaseMs,
    schema: `${schema}_dbos`,
    dbos: { logLevel: "error" },
  });
  const start = define(engine);
  await engine.launch();
  if (config.start !== undefined) await start(config.start);
} else {
  const engine = restateEngine({ ingressUrl: config.ingressUrl });
  define(engine);
  const server = createServer(createEndpointHandler({ services: engine.services }));
  await new Promise<void>((resolve) => server.listen(config.port, config.host, resolve));
}
process.stdout.write("ready\n");
process.stdin.resume().on("end", () => process.exit());
