import type { JsonObject } from "@toolweave/core";
import { missingCapability, type ClientQuestion } from "../clients/client-question.ts";
import { isObject } from "../../schema/schema-keywords.ts";
import type { GatewayClient } from "../clients/gateway-client.ts";
import {
  errorCode,
  invalidState,
  McpError,
  missingCapabilities,
  type RequestPort,
} from "../clients/request-port.ts";
import type { RequestStates } from "../clients/request-states.ts";

/** How often a provider may ask before it answers, on a connection where that is done here. */
const mostRounds = 10;

/**
 * A request that a provider may answer with questions (2026-07-28, basic/patterns/mrtr): a client of that protocol gets
 * them as they are, with the provider's state sealed for it alone; any other is asked here.
 *
 * @param subject what the request is about; a state is good for nothing else.
 */
export async function withInputRequired(
  client: GatewayClient,
  port: RequestPort,
  states: RequestStates,
  subject: string,
  params: JsonObject,
  ask: (params: JsonObject) => Promise<JsonObject>,
): Promise<JsonObject> {
  let more: JsonObject = {};
  if (port.requestState !== undefined) {
    const state = await states.open(client, subject, port.requestState);
    if (!("passed" in state)) throw invalidState();
    if (state.passed !== "") more = { requestState: state.passed };
  }
  if (port.inputResponses !== undefined) more = { ...more, inputResponses: port.inputResponses };
  for (let round = 0; round < mostRounds; round++) {
    const result = await ask({ ...params, ...more });
    if (result["resultType"] !== "input_required") {
      return port.era === "modern" ? result : withoutHints(result);
    }
    const { inputRequests, requestState } = result;
    const questions = questionsIn(inputRequests, port.capabilities);
    if (port.era === "modern") {
      const passed = typeof requestState === "string" ? requestState : "";
      return { ...result, requestState: await states.seal(client, subject, { passed }) };
    }
    const responses = new Map<string, JsonObject>();
    for (const [key, { method, params: asked }] of questions) {
      const response = await port.request(method, asked, port.signal);
      if (isObject(response)) responses.set(key, response);
    }
    more = {
      inputResponses: Object.fromEntries(responses),
      ...(typeof requestState === "string" ? { requestState } : {}),
    };
  }
  throw new McpError(errorCode.internal, "It asks without end, and was given up.");
}

/** How long an answer may be kept is nothing that the older protocol says (2026-07-28, server/utilities/caching). */
function withoutHints({ ttlMs: _ttl, cacheScope: _scope, ...result }: JsonObject): JsonObject {
  return result;
}

function questionsIn(
  requests: JsonObject[string] | undefined,
  capabilities: JsonObject,
): readonly (readonly [string, ClientQuestion])[] {
  if (!isObject(requests)) return [];
  return Object.entries(requests).map(([key, entry]) => {
    const question = entry as unknown as ClientQuestion;
    const known = { method: question.method, params: question.params ?? {} };
    const missing = missingCapability(known, capabilities);
    if (missing !== undefined) throw missingCapabilities(missing);
    return [key, known] as const;
  });
}
