import { createInterface } from "node:readline/promises";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { displayJson } from "@toolweave/core";
import { runWithApprovals } from "./agent.ts";
import { invoiceTools } from "./tools.ts";

// Any server with OpenAI's chat API, in the cloud or on this machine.
const { MODEL_API_KEY: apiKey, MODEL_URL: baseURL, MODEL: modelId } = process.env;
if (baseURL === undefined || modelId === undefined) {
  console.error("Set MODEL_URL, MODEL and, if the server needs one, MODEL_API_KEY: see README.md.");
  process.exit(2);
}
const provider = createOpenAICompatible({
  name: "model",
  baseURL,
  ...(apiKey === undefined ? {} : { apiKey }),
});

const prompt = process.argv[2] ?? "Which invoices are open? Pay the smallest one.";
const terminal = createInterface({ input: process.stdin, output: process.stdout });
const result = await runWithApprovals(
  prompt,
  provider(modelId),
  invoiceTools([]),
  async ({ call }) => {
    const text = `${call.name} ${displayJson(JSON.stringify(call.arguments))}`;
    return (await terminal.question(`Run ${text}? [y/N] `)).trim().toLowerCase() === "y";
  },
);
terminal.close();
if (result.status === "completed") console.log(result.text);
else {
  console.error(`The agent ${result.status}.`, "error" in result ? result.error.message : "");
  process.exitCode = 1;
}
