// Runs a command with processes of all kinds in a sandbox, until the process is killed.
import { ToolExecutor, ToolRegistry } from "@toolweave/core";
import { workspaceTools } from "../../src/index.ts";

/** Sent when the first output of the command has come. */
export type CommandingMessage = "running";

const [, , root = "", seconds = "1"] = process.argv;
const registry = new ToolRegistry([workspaceTools({ root, sandbox: "bwrap" })]);
const command = `setsid sleep ${seconds} & (sleep ${seconds} &) ; trap '' TERM; echo running; sleep ${seconds}`;
await new ToolExecutor({ registry, policy: "autonomous" }).execute(
  { id: "1", name: "bash", arguments: { command } },
  { onUpdate: () => void process.send?.("running" satisfies CommandingMessage) },
);
