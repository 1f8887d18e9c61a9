#!/usr/bin/env bash
# @mastra/core 1.71.0: if a model gives two calls of a run the same id, as servers do that number the calls of each
# response anew, the model reads only the result of the later one. In a stream, the second of two such calls in one
# response does not run, whether the calls suspend or not.
# Seen: for each case the calls that ran, and the results that the model reads.
set -euo pipefail
cd "$(mktemp -d)"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund @mastra/core@1.71.0 ai@7.0.173 zod@4.6.7 node@24.21.0 >/dev/null
cat >find.mjs <<'JS'
import { Mastra } from "@mastra/core";
import { Agent } from "@mastra/core/agent";
import { InMemoryStore } from "@mastra/core/storage";
import { createTool } from "@mastra/core/tools";
import { MockLanguageModelV4 } from "ai/test";
import { z } from "zod";

const count = { total: 0, noCache: 0, cacheRead: 0, cacheWrite: 0, text: 0, reasoning: 0 };
const usage = { inputTokens: count, outputTokens: count };
const call = (toolCallId, id) => ({
  type: "tool-call",
  toolCallId,
  toolName: "remove",
  input: JSON.stringify({ id }),
});

async function run(label, suspends, responses) {
  const ran = [];
  const prompts = [];
  const remove = createTool({
    id: "remove",
    description: "Remove an exhibit.",
    inputSchema: z.object({ id: z.number() }),
    execute: async ({ id }, { agent }) => {
      if (suspends && !agent.resumeData) return agent.suspend({ id });
      ran.push(id);
      return { removed: id };
    },
  });
  const model = new MockLanguageModelV4({
    doStream: async ({ prompt }) => {
      const content = responses[prompts.length] ?? [];
      prompts.push(prompt);
      const unified = content.length === 0 ? "stop" : "tool-calls";
      const end = { type: "finish", finishReason: { unified, raw: undefined }, usage };
      const stream = ReadableStream.from([{ type: "stream-start", warnings: [] }, ...content, end]);
      return { stream };
    },
  });
  const agent = new Agent({ id: "a", name: "a", instructions: "Help.", model, tools: { remove } });
  new Mastra({ agents: { agent }, storage: new InMemoryStore(), logger: false });
  const { runId, fullStream } = await agent.stream("Remove both.");
  for await (const _ of fullStream);
  for (const toolCallId of suspends ? new Set(responses.flat().map((one) => one.toolCallId)) : []) {
    const resumed = await agent.resumeStream({ approved: true }, { runId, toolCallId });
    for await (const _ of resumed.fullStream);
  }
  const results = prompts
    .at(-1)
    .filter(({ role }) => role === "tool")
    .flatMap(({ content }) => content.map(({ output }) => output.value.removed));
  console.log(`${label}: ran ${ran}, read ${results}`);
}

const twice = [call("0", 1), call("0", 2)];
await run("one response", false, [twice]);
await run("two responses", false, twice.map((one) => [one]));
await run("one response, other ids", false, [[call("0", 1), call("1", 2)]]);
await run("suspended", true, [twice]);
await run("suspended, other ids", true, [[call("0", 1), call("1", 2)]]);
process.exit(0);
JS
seen=$(npx --no-install node find.mjs)
echo "$seen"
[ "$seen" = "one response: ran 1, read 1
two responses: ran 1,2, read 2
one response, other ids: ran 1,2, read 1,2
suspended: ran 1, read 1
suspended, other ids: ran 1,2, read 1,2" ]
