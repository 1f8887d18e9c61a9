#!/usr/bin/env bash
# @openai/agents-core 0.20.0: a tool whose `needsApproval` always returns false stops the run for an approval, if its
# arguments are not one JSON object. With `needsApproval: false` the model reads an error at once. The function is not
# called.
# Seen: the number of approval requests, with the function and with the value.
set -euo pipefail
cd "$(mktemp -d)"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund @openai/agents-core@0.20.0 zod@4.6.7 node@24.21.0 >/dev/null
cat >find.mjs <<'JS'
import { Agent, run, setTracingDisabled, tool } from "@openai/agents-core";
import { assistantMessage, functionCall, ScriptedModel } from "@openai/agents-core/testing";

setTracingDisabled(true);
for (const needsApproval of [async () => (console.log("called"), false), false]) {
  const now = tool({
    name: "now",
    description: "The time.",
    parameters: { type: "object", properties: {}, required: [], additionalProperties: true },
    strict: false,
    needsApproval,
    execute: () => "12:00",
  });
  const model = new ScriptedModel([
    [functionCall("now", "", { callId: "1" })],
    [assistantMessage("done")],
  ]);
  const { interruptions } = await run(new Agent({ name: "a", model, tools: [now] }), "go");
  console.log(interruptions.length);
}
JS
seen=$(npx --no-install node find.mjs | tr '\n' ' ')
echo "$seen"
[ "$seen" = "1 0 " ]
