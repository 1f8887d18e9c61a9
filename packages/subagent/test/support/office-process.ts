// A child process with an office of agents: starts and resumes runs on request, and sends the
// results.
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { sqliteStore } from "@toolweave/stores";
import { resumeAgent, runAgent, type AgentAnswers, type AgentState } from "@toolweave/subagent";
import { bossOptions, office } from "./office.ts";

/** The request to the process. */
export interface Order {
  readonly state?: AgentState;
  readonly answers?: AgentAnswers;
}

const [folder = ".", name = ""] = process.argv.slice(2);
// Soon after a process has been killed its lease expires.
const store = sqliteStore({ path: join(folder, "toolweave.db"), leaseMs: 100 });
const executor = office(
  (what, args) => {
    appendFileSync(join(folder, "ran"), `${name}: ${what} ${Object.values(args).join(" ")}\n`);
    if (what === "pay" && name === "dies") process.kill(process.pid, "SIGKILL");
  },
  { key: new Uint8Array(32).fill(9), pendingCalls: store.pendingCalls },
);

process.on("message", async ({ state, answers = {} }: Order) => {
  const options = bossOptions(executor);
  const result =
    state === undefined
      ? await runAgent({ ...options, system: "Boss.", prompt: "Pay both." })
      : await resumeAgent(state, answers, options);
  process.send?.(JSON.parse(JSON.stringify(result)));
});
