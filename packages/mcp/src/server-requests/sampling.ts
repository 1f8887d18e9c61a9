import { ToolError, type JsonObject } from "@toolweave/core";
import { isObject } from "../schema/schema-keywords.ts";
import { InvalidServerRequest } from "./invalid-server-request.ts";
import type { SamplingRequest, SamplingAnswer } from "../options/server-request-options.ts";

/**
 * Validates the params of a server's `sampling/createMessage`.
 *
 * @param withTools The host's model accepts tools of servers.
 * @throws InvalidServerRequest when they are invalid.
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
    throw new InvalidServerRequest("the host's model does not accept tools of servers");
  }
  if (tools !== undefined && !(Array.isArray(tools) && tools.every(isObject))) {
    throw new InvalidServerRequest("its tools are invalid");
  }
  // `includeContext` is not supported: no server receives the context of others.
  const { systemPrompt, modelPreferences, temperature, stopSequences, metadata } = params;
  const settings = { systemPrompt, modelPreferences, temperature, stopSequences, metadata };
  const optional = { ...settings, tools, toolChoice };
  const present = Object.entries(optional).filter(([, value]) => value !== undefined);
  return { server, messages, maxTokens, ...Object.fromEntries(present) } as SamplingRequest;
}

/**
 * Validates the host's response.
 *
 * @throws ToolError `internal` when it is invalid: the host's handler is wrong.
 */
export function toSamplingResult(answer: SamplingAnswer | undefined): JsonObject {
  const { role, content, model, stopReason } = answer ?? ({} as Partial<SamplingAnswer>);
  const hasContent = isObject(content) || Array.isArray(content);
  if ((role !== "assistant" && role !== "user") || !hasContent || typeof model !== "string") {
    throw new ToolError(
      "internal",
      "onSampling returned no response with a role, content and a model.",
    );
  }
  return { role, content, model, ...(stopReason === undefined ? {} : { stopReason }) };
}
