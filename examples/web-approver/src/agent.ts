import type { ToolOutcome } from "@toolweave/core";

import { readCommand } from "./command.ts";
import { openHost } from "./host.ts";

const usage = `Usage: agent [--folder <path>]

A scripted agent works for a small shop. What needs a person is left in the folder, and the agent
ends: the approver resumes it.

Options:
  --folder <path>   what the two processes share (default: "data", beside this example's README)
  --help`;

/** The calls of a model, so that none is needed. */
const calls = [
  { id: "call_1", name: "get_order", arguments: { order: "1042" } },
  { id: "call_2", name: "refund_order", arguments: { order: "1042", amount: 49 } },
  {
    id: "call_3",
    name: "send_message",
    arguments: { to: "mira@example.com", text: "Your teapot is paid back. <3" },
  },
];

const { folder } = readCommand(usage, {});
const host = openHost(folder);
const run = host.executor.startRun({ caller: { id: "shop-agent" } });
for (const call of calls) {
  const outcome = await run.execute(call);
  process.stdout.write(`${call.name}: ${formatOutcome(outcome)}\n`);
}
await host.close();

function formatOutcome(outcome: ToolOutcome): string {
  if (outcome.interruption) return `waits for a person (${outcome.interruption.id})`;
  return `${outcome.status}: ${JSON.stringify(outcome.result.value ?? outcome.result.content)}`;
}
