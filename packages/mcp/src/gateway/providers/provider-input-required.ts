import type { JsonObject } from "@toolweave/core";
import { isObject } from "@toolweave/core/adapter";
import { findMissingCapability, type ClientQuestion } from "../clients/client-question.ts";
import type { GatewayClient } from "../clients/gateway-client.ts";
import {
  errorCode,
  invalidStateError,
  McpError,
  missingCapabilityError,
  type RequestPort,
} from "../clients/request-port.ts";
import type { RequestStates } from "../clients/request-states.ts";

/** Maximum number of rounds on a connection on which the client is asked here. */
const maxRounds = 10;

/**
 * Sends a request that a provider may answer with `input_required` (2026-07-28, basic/patterns/mrtr): a client of
 * that protocol receives its requests unchanged, with the provider's state encrypted for it; any other client is
 * asked here.
 *
 * @param subject Subject of the request, which the state is bound to.
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
    if (!("passed" in state)) throw invalidStateError();
    if (state.passed !== "") more = { requestState: state.passed };
  }
  if (port.inputResponses !== undefined) more = { ...more, inputResponses: port.inputResponses };
  for (let round = 0; round < maxRounds; round++) {
    const result = await ask({ ...params, ...more });
    if (result["resultType"] !== "input_required") {
      return port.era === "modern" ? result : withoutHints(result);
    }
    const { inputRequests, requestState } = result;
    const questions = readQuestions(inputRequests, port.capabilities);
    if (port.era === "modern") {
      const passed = typeof requestState === "string" ? requestState : "";
      return { ...result, requestState: await states.seal(client, subject, { passed }) };
    }
    const responses = new Map<string, JsonObject>();
    for (const [key, { method, params: questionParams }] of questions) {
      const response = await port.request(method, questionParams, port.signal);
      if (isObject(response)) responses.set(key, response);
    }
    more = {
      inputResponses: Object.fromEntries(responses),
      ...(typeof requestState === "string" ? { requestState } : {}),
    };
  }
  throw new McpError(
    errorCode.internal,
    `The request required input more than ${maxRounds} times and was cancelled.`,
  );
}

/** Removes caching hints, which the older protocol does not have (2026-07-28, server/utilities/caching). */
function withoutHints({ ttlMs: _ttl, cacheScope: _scope, ...result }: JsonObject): JsonObject {
  return result;
}

function readQuestions(
  requests: JsonObject[string] | undefined,
  capabilities: JsonObject,
): readonly (readonly [string, ClientQuestion])[] {
  if (!isObject(requests)) return [];
  return Object.entries(requests).map(([key, entry]) => {
    const question = entry as unknown as ClientQuestion;
    const known = { method: question.method, params: question.params ?? {} };
    const missing = findMissingCapability(known, capabilities);
    if (missing !== undefined) throw missingCapabilityError(missing);
    return [key, known] as const;
  });
}
