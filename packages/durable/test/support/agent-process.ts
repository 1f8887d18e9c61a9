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
import { scriptedModel, type Asked, type Said } from "@toolweave/test-support/scripted-model";

/** The configuration of a machine. */
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

type Calls = NonNullable<Said["calls"]>;

/** The calls of each turn that an agent plans; the turn after the last one is its answer. */
type Plan = (turn: number, task: string) => Calls;

/** Twenty turns; two of them delegate, one makes two calls at once. */
const long: Plan = (turn) => {
  if (turn === 19) return [];
  if (turn === 7 || turn === 13) {
    const name = turn === 7 ? "clerk" : "researcher";
    return [{ id: `call_${turn}`, name, input: { task: `Part ${turn}.` } }];
  }
  const items = turn === 5 ? [`${turn}a`, `${turn}b`] : [`${turn}`];
  return items.map((item) => ({ id: `call_${item}`, name: "act", input: { item } }));
};

const short: Plan = (turn) =>
  turn === 0 ? [{ id: "call_1", name: "act", input: { item: "PAY" } }] : [];

/** Three turns, two of which act. */
const helper: Plan = (turn, task) =>
  turn < 2 ? [{ id: `call_${turn}`, name: "act", input: { item: `${task} ${turn}` } }] : [];

const plan = { long, short }[config.script];

/** Follows a plan. Of a call whose outcome is unknown, it checks what was done, and makes the call again if it was not. */
function following(plan: Plan): (asked: Asked) => Said {
  return ({ calls, results, task }) => {
    const planned = calls.filter((ids) => ids.some((id) => id.startsWith("call_")));
    const last = planned.length - 1;
    const items = new Map(
      (last < 0 ? [] : plan(last, task)).map(({ id, input }) => [id.slice(5), input ?? {}]),
    );
    const next = (calls.at(-1) ?? []).flatMap((id, index): Calls => {
      const [kind = "", ...rest] = id.split("_");
      const name = rest[0] ?? "";
      const input = items.get(name) ?? {};
      const result = results[index] ?? "";
      if (kind !== "check" && result.includes("outcome is not known")) {
        return [{ id: `check_${name}`, name: "check", input }];
      }
      return kind === "check" && result === "not done"
        ? [{ id: `again_${name}`, name: "act", input }]
        : [];
    });
    const all = next.length > 0 ? next : plan(planned.length, task);
    return all.length > 0 ? { calls: all } : { text: "Done." };
  };
}

function model(who: string, plan: Plan) {
  const script = following(plan);
  return scriptedModel(async (asked) => {
    await record("turn", `${who} ${asked.turn}`);
    return script(asked);
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
  const check = defineTool({
    name: "check",
    description: "Tells whether something was done.",
    input: { type: "object", properties: { item: { type: "string" } }, required: ["item"] },
    annotations: { readOnlyHint: true },
    execute: async ({ item }) => {
      const response = await fetch(`${config.effectsUrl}/${encodeURIComponent(item)}`);
      return response.text();
    },
  });
  const sub = (name: string) =>
    subAgentTool({
      name,
      description: "Does a part.",
      system: "You do a part.",
      model: model(name, helper),
      tools: ["act", "check"],
    });
  const store = postgresStore({ connectionString: databaseUrl, schema, key, leaseMs });
  const { ledger, pendingCalls } = store;
  const executor = new ToolExecutor({
    registry: new ToolRegistry([act, check, sub("clerk"), sub("researcher")]),
    ledger,
    pendingCalls,
    key,
    policy: "autonomous",
  });
  return { store, agent: { executor, model: model("agent", plan), limits: { turns: 60 } } };
}

/** The same agent as a user of the engine writes it: a step for each turn and call. */
async function bare(_: JsonValue, steps: WorkflowSteps): Promise<JsonValue> {
  const work = async (who: string, plan: Plan, task: string): Promise<void> => {
    for (let turn = 0; ; turn++) {
      const calls = await steps.step(`${who} turn ${turn}`, async () => {
        await record("turn", `${who} ${turn}`);
        return plan(turn, task) as unknown as JsonValue;
      });
      if (!Array.isArray(calls) || calls.length === 0) return;
      for (const { id, name, input } of calls as unknown as Calls) {
        if (name === "act") {
          await steps.step(`${who} ${id}`, async () => {
            await record("effect", String(input?.["item"]));
            return "done";
          });
        } else await work(name, helper, String(input?.["task"]));
      }
    }
  };
  await work("agent", plan, "Work.");
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
