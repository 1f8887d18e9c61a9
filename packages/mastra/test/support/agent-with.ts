import { Mastra } from "@mastra/core";
import { Agent } from "@mastra/core/agent";
import type { MastraModelConfig } from "@mastra/core/llm";
import { InMemoryStore } from "@mastra/core/storage";
import type { MockLanguageModelV4 } from "ai/test";
import type { MastraTools } from "../../src/index.ts";

/** An agent with its own Mastra, as each process has one; the storage may be shared. */
export function agentWith(
  model: MockLanguageModelV4,
  tools: MastraTools,
  storage: InMemoryStore = new InMemoryStore(),
): Agent {
  const agent = new Agent({
    id: "a",
    name: "a",
    instructions: "Help.",
    model: toModelConfig(model),
    tools,
  });
  return new Mastra({ agents: { a: agent }, storage, logger: false }).getAgent("a");
}

/** Mastra accepts the model as it is; its types declare that `doGenerate` streams. */
export function toModelConfig(model: MockLanguageModelV4): MastraModelConfig {
  return model as unknown as MastraModelConfig;
}
