import {
  Agent,
  setTracingDisabled,
  type FunctionCallItem,
  type FunctionCallResultItem,
} from "@openai/agents-core";
import {
  assistantMessage,
  functionCall,
  ScriptedModel,
  type ScriptedModelInput,
} from "@openai/agents-core/testing";
import type { AgentTool } from "../../src/index.ts";

// No data may leave the process.
setTracingDisabled(true);

/** The model calls a tool; a string is sent unchanged. */
export function call(callId: string, name: string, args: unknown = {}): FunctionCallItem {
  return functionCall(name, args as Record<string, unknown>, { callId });
}

/** The model answers, and is done. */
export function say(text: string): ReturnType<typeof assistantMessage>[] {
  return [assistantMessage(text)];
}

/** An agent with a scripted model. */
export interface Scripted<Context> {
  readonly agent: Agent<Context>;
  readonly model: ScriptedModel;
}

/** An agent called Guard with these tools. */
export function scripted<Context = unknown>(
  tools: readonly AgentTool<Context>[],
  ...turns: readonly ScriptedModelInput[]
): Scripted<Context> {
  const model = new ScriptedModel(turns);
  return { agent: new Agent<Context>({ name: "Guard", model, tools: [...tools] }), model };
}

/** The results of the model's calls before its latest turn, by call id. */
export function resultsRead(
  model: ScriptedModel,
): Record<string, FunctionCallResultItem["output"]> {
  const input = model.lastCall?.request.input ?? [];
  const items = typeof input === "string" ? [] : input;
  return Object.fromEntries(
    items.flatMap((item) =>
      item.type === "function_call_result" ? [[item.callId, item.output] as const] : [],
    ),
  );
}

/** The same for texts. */
export function textsRead(model: ScriptedModel): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(resultsRead(model)).map(([callId, output]) => [
      callId,
      typeof output === "object" && "text" in output ? output.text : undefined,
    ]),
  );
}

/** The names of the tools for the model, turn by turn. */
export function listedTools(model: ScriptedModel): string[][] {
  return model.calls.map(({ request }) =>
    request.tools.flatMap((tool) => (tool.type === "function" ? [tool.name] : [])),
  );
}
