// A program of a user: it compiles with every supported version of the SDK.
import { ToolExecutor, ToolRegistry } from "@toolweave/core";
import { generateText, streamText, tool, type LanguageModel, type ToolSet } from "ai";
import { z } from "zod";
import { aiSource, aiToolApproval, aiTools } from "../../src/index.ts";

export async function consume(model: LanguageModel): Promise<string> {
  const look = tool({
    description: "Look at an exhibit.",
    inputSchema: z.object({ id: z.number() }),
    execute: ({ id }) => `exhibit ${id}`,
  });
  const registry = new ToolRegistry([
    aiSource({ look }),
    aiSource(async () => ({ look }), { id: "again", prefix: "again" }),
    aiSource(
      { look },
      { toolApproval: { look: ({ id }: { id: number }) => (id > 5 ? "denied" : undefined) } },
    ),
  ]);
  const tools = await aiTools(new ToolExecutor({ registry }));
  const all: ToolSet = Object.assign(tools, { look });
  void aiToolApproval({ look: "user-approval" });
  void streamText({ model, prompt: "go", tools });
  const { text } = await generateText({ model, prompt: "go", tools: all });
  return text;
}
