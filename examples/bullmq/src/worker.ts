/**
 * A worker: pays the bill of each run. Arguments: the URL of Redis, the path of the store, the path of the file with the
 * payments, and the id of a run to start. With `CRASH=1` it stops in the payment, as if the bank did not answer.
 */
import { appendFileSync } from "node:fs";
import type { LanguageModelV4 } from "@ai-sdk/provider";
import { defineTool, ToolExecutor, ToolRegistry } from "@toolweave/core";
import { durableAgent } from "@toolweave/durable";
import { sqliteStore } from "@toolweave/stores";
import { bullmqEngine } from "./bullmq-engine.ts";

const [url = "", storePath = "", payments = "", id] = process.argv.slice(2);

const pay = defineTool({
  name: "pay",
  description: "Pay a bill.",
  input: { type: "object" },
  execute: async () => {
    appendFileSync(payments, "paid\n");
    if (process.env["CRASH"] === "1") {
      process.stdout.write("paying\n");
      await new Promise(() => {});
    }
    return "paid";
  },
});

// A model that follows a script, so that this runs offline; use your provider's here.
const count = { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0, text: 1, reasoning: 0 };
const model: LanguageModelV4 = {
  specificationVersion: "v4",
  provider: "example",
  modelId: "scripted",
  supportedUrls: {},
  doStream: undefined as never,
  doGenerate: async ({ prompt }) => {
    const last = prompt.at(-1);
    const result = last?.role === "tool" ? JSON.stringify(last.content) : undefined;
    return {
      content: [
        result === undefined
          ? { type: "tool-call", toolCallId: "call_1", toolName: "pay", input: "{}" }
          : { type: "text", text: /not known/.test(result) ? "Please check the bill." : "Paid." },
      ],
      finishReason: { unified: result === undefined ? "tool-calls" : "stop", raw: undefined },
      usage: { inputTokens: count, outputTokens: count },
      warnings: [],
    };
  },
};

// On several machines: the stores of @toolweave/postgres.
const { ledger, pendingCalls } = sqliteStore(storePath);
const executor = new ToolExecutor({
  registry: new ToolRegistry([pay]),
  ledger,
  pendingCalls,
  key: "the same 32 or more random bytes in every process",
  policy: "autonomous",
});
const engine = bullmqEngine(url, 2000);
const clerk = durableAgent(engine, { name: "clerk", model, executor });
if (id !== undefined) {
  await clerk.start(id, { prompt: "Pay the bill." });
  const result = await clerk.result(id);
  process.stdout.write(`${result.text}\n`);
  await engine.close();
  process.exit();
}
