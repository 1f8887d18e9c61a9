// A child process: prints the state of a run whose call waits for approval, and exits.
import { run } from "@openai/agents-core";
import { agentTools } from "../../src/index.ts";
import { call, scripted } from "./agents.ts";
import { key, museum } from "./museum.ts";

const { agent } = scripted(await agentTools(museum({ key }).executor), [
  call("c1", "look", { id: 1 }),
  call("c2", "remove", { id: 7 }),
]);
const { state } = await run(agent, "go");
process.stdout.write(state.toString());
