import { ToolError, type JsonObject } from "@toolweave/core";
import { isObject } from "../schema/schema-keywords.ts";
import { InvalidServerRequest } from "./invalid-server-request.ts";
import type { SamplingRequest, SamplingAnswer } from "../options/ask-options.ts";

/**
 * What a server's `sampling/createMessage` asks.
 *
 * @param withTools the host's model takes tools of servers.
 * @throws InvalidServerRequest when it is none.
 */
export function readSampling(
  server: string,
  params: JsonObject,
  withTools: boolean,
): SamplingRequest {
  const { messages, maxTokens, tools, toolChoice } = params;
  if (!Array.isArray(messages) || typeof maxTokens !== "number") {
    throw new InvalidServerRequest("it has no messages, or no maxTokens");
  }
  if (!withTools && (tools !== undefined || toolChoice !== undefined)) {
    throw new InvalidServerRequest("the host's model takes no tools of servers");
  }
  if (tools !== undefined && !(Array.isArray(tools) && tools.every(isObject))) {
    throw new InvalidServerRequest("its tools are none");
  }
  // The context of others is offered to no server.
  const { systemPrompt, modelPreferences, temperature, stopSequences, metadata } = params;
  const own = { systemPrompt, modelPreferences, temperature, stopSequences, metadata };
  const more = { ...own, tools, toolChoice };
  const given = Object.entries(more).filter(([, value]) => value !== undefined);
  return { server, messages, maxTokens, ...Object.fromEntries(given) } as SamplingRequest;
}

/**
 * What is sent of an answer.
 *
 * @throws ToolError `internal` when it is none: the handler that gave it has to be corrected.
 */
export function samplingResult(answer: SamplingAnswer | undefined): JsonObject {
  const { role, content, model, stopReason } = answer ?? ({} as Partial<SamplingAnswer>);
  const hasContent = isObject(content) || Array.isArray(content);
  if ((role !== "assistant" && role !== "user") || !hasContent || typeof model !== "string") {
    throw new ToolError("internal", "onSampling gave no answer with a role, content and a model.");
  }
  return { role, content, model, ...(stopReason === undefined ? {} : { stopReason }) };
}
