#!/usr/bin/env bash
# @mastra/core 1.71.0: a call whose arguments are no JSON object runs. A text that breaks off, a fenced one and one with
# a brace too many run as `{}`, and a list runs as an object with its indexes. Only the text `null` is refused.
# Seen: what the tool receives of each, or "refused".
set -euo pipefail
cd "$(mktemp -d)"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund @mastra/core@1.71.0 ai@7.0.173 zod@4.6.7 node@24.21.0 >/dev/null
cat >find.mjs <<'JS'
import { Mastra } from "@mastra/core";
import { Agent } from "@mastra/core/agent";
import { createTool } from "@mastra/core/tools";
import { MockLanguageModelV4 } from "ai/test";
import { z } from "zod";

const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
const texts = ['{"room":"A', '```json\n{"room":"A"}\n```', '{"room":"A"}}', '[{"room":"A"}]', "null"];
for (const input of texts) {
  let seen = "refused";
  const purge = createTool({
    id: "purge",
    description: "Deletes the bookings of a room; without one, all.",
    inputSchema: z.looseObject({ room: z.string().optional() }),
    execute: async (args) => {
      seen = JSON.stringify(args);
      return "done";
    },
  });
  const turns = [
    { type: "tool-call", toolCallId: "1", toolName: "purge", input },
    { type: "text", text: "done" },
  ];
  const model = new MockLanguageModelV4({
    doGenerate: turns.map((part) => ({
      content: [part],
      finishReason: { unified: part.type === "text" ? "stop" : "tool-calls", raw: undefined },
      usage,
      warnings: [],
    })),
  });
  const agent = new Agent({ id: "a", name: "a", instructions: "Help.", model, tools: { purge } });
  await new Mastra({ agents: { a: agent }, logger: false }).getAgent("a").generate("go");
  console.log(seen);
}
process.exit(0);
JS
seen=$(npx --no-install node find.mjs | tr '\n' ' ')
echo "$seen"
[ "$seen" = '{} {} {} {"0":{"room":"A"}} refused ' ]
