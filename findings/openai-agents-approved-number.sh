#!/usr/bin/env bash
# @openai/agents-core 0.20.0: a person approves one number, and the tool runs with another. The approval request has the
# text of the arguments, and both `needsApproval` and `execute` get it parsed with JSON.parse.
# Seen: the number that `needsApproval` gets, that of the approval request, and that of the call.
set -euo pipefail
cd "$(mktemp -d)"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund @openai/agents-core@0.20.0 zod@4.6.7 node@24.21.0 >/dev/null
cat >find.mjs <<'JS'
import { Agent, run, setTracingDisabled, tool } from "@openai/agents-core";
import { assistantMessage, functionCall, ScriptedModel } from "@openai/agents-core/testing";

setTracingDisabled(true);
const remove = tool({
  name: "remove",
  description: "Removes a record.",
  parameters: {
    type: "object",
    properties: { id: { type: "integer" } },
    required: ["id"],
    additionalProperties: true,
  },
  strict: false,
  needsApproval: async (_context, { id }) => {
    console.log(String(id));
    return true;
  },
  execute: ({ id }) => {
    console.log(String(id));
    return "removed";
  },
});
const model = new ScriptedModel([
  [functionCall("remove", '{"id":9007199254740993}', { callId: "1" })],
  [assistantMessage("done")],
]);
const agent = new Agent({ name: "a", model, tools: [remove] });
const { state, interruptions } = await run(agent, "go");
console.log(interruptions[0].arguments);
state.approve(interruptions[0]);
await run(agent, state);
JS
seen=$(npx --no-install node find.mjs | tr '\n' ' ')
echo "$seen"
[ "$seen" = '9007199254740992 {"id":9007199254740993} 9007199254740992 ' ]
