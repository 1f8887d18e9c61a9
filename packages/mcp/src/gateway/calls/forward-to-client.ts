import type { JsonObject, JsonSchema, JsonValue } from "@toolweave/core";
import { isObject } from "@toolweave/core/adapter";
import type {
  ElicitationAnswer,
  SamplingAnswer,
  Root,
} from "../../options/server-request-options.ts";
import type { ClientCall } from "./client-call.ts";
import {
  UnsupportedByClient,
  clientRequestError,
  toElicitationAnswer,
} from "../clients/client-question.ts";
import type { ClientLog } from "../clients/request-port.ts";

/** Running calls of the clients of all gateways of this process, by run. */
const clientCalls = new Map<string, ClientCall>();

/** Registers a call, so that its client can be asked; returns a function that removes it. */
export function registerClientCall(call: ClientCall): () => void {
  clientCalls.set(call.runId, call);
  return () => void clientCalls.delete(call.runId);
}

/** Call during which an MCP server makes a request: the members that are needed to find the client. */
export interface ForwardedCall {
  readonly runId: string;
  readonly signal?: AbortSignal;
}

/** Question for a person, as `onElicitation` of an MCP source receives it. */
export interface ClientElicitation {
  /** Default: `form`. */
  readonly mode?: "form" | "url";
  /** Name of the server, for the person. */
  readonly server?: string;
  readonly message: string;
  readonly requestedSchema?: JsonSchema;
  readonly url?: string;
  /** Resolves when the server reports that the person has finished at the page: the client is notified too. */
  readonly completed?: Promise<void>;
}

/** Request to the client's model, as `onSampling` of an MCP source receives it. */
export interface ClientSampling {
  readonly server?: string;
  readonly messages: readonly JsonObject[];
  readonly maxTokens: number;
}

/**
 * Handlers for `mcpSource` that forward requests of a server to the client whose call it is working on: `mcpSource({
 * …, ...forwardToClient })`. Only calls that a gateway of this process has started have such a client. If the client
 * lacks the capability, an elicitation is cancelled, the list of roots is empty, and sampling fails.
 */
export const forwardToClient: {
  onElicitation(request: ClientElicitation, call: ForwardedCall): Promise<ElicitationAnswer>;
  /** @throws ToolError `execution_failed` when the client has no model, or rejects the request. */
  onSampling(request: ClientSampling, call: ForwardedCall): Promise<SamplingAnswer>;
  /**
   * Requests the client's roots.
   *
   * @throws ToolError `execution_failed` when there is no call of a client, or the client does not respond: a server
   * that asks outside of a call would store the result for all callers.
   */
  roots(call: ForwardedCall | undefined): Promise<readonly Root[]>;
  /** Sends a log message to the client, at the level that it has set. */
  onLog(message: ClientLog, call: ForwardedCall | undefined): void;
} = {
  async onElicitation(request, call) {
    const client = clientCalls.get(call.runId);
    // No person has declined.
    if (client === undefined) return { action: "cancel" };
    try {
      const params = elicitationParams(request);
      const question = { method: "elicitation/create", params } as const;
      const answer = toElicitationAnswer(await client.ask(question, call.signal));
      const { elicitationId } = params;
      if (answer.action === "accept" && elicitationId !== undefined && client.isLegacy) {
        const reported = { elicitationId };
        void request.completed?.then(() =>
          client.notifyConnection("notifications/elicitation/complete", reported),
        );
      }
      return answer;
    } catch (error) {
      if (error instanceof UnsupportedByClient) return { action: "cancel" };
      throw clientRequestError("The input that the tool requires", error);
    }
  },
  async onSampling(request, call) {
    const client = clientCalls.get(call.runId);
    if (client === undefined) throw clientRequestError("A response of the client's model");
    try {
      const params = samplingParams(request);
      const answer = await client.ask({ method: "sampling/createMessage", params }, call.signal);
      const { role, content, model, stopReason } = answer;
      if (content === undefined || typeof model !== "string")
        throw new Error("The response is invalid.");
      return {
        role: role === "user" ? role : "assistant",
        content,
        model,
        ...(typeof stopReason === "string" ? { stopReason } : {}),
      };
    } catch (error) {
      if (error instanceof UnsupportedByClient) client.missing = error.missing;
      throw clientRequestError("A response of the client's model", error);
    }
  },
  async roots(call) {
    const client = call && clientCalls.get(call.runId);
    if (call === undefined || client === undefined)
      throw clientRequestError("The list of the client's roots");
    try {
      const { roots } = await client.ask({ method: "roots/list", params: {} }, call.signal);
      return Array.isArray(roots) ? roots.flatMap(toRoots) : [];
    } catch (error) {
      if (error instanceof UnsupportedByClient) return [];
      throw clientRequestError("The list of the client's roots", error);
    }
  },
  onLog({ level, logger, data }, call) {
    if (call === undefined) return;
    clientCalls.get(call.runId)?.log({ level, data, ...(logger === undefined ? {} : { logger }) });
  },
};

/**
 * Adds the server's name to the message, because the client knows only the gateway, and replaces the id, because two
 * servers may use the same one.
 */
function elicitationParams(request: ClientElicitation): JsonObject {
  const { mode, server, message, requestedSchema, url } = request;
  const text = server === undefined ? message : `The MCP server ${server} asks: ${message}`;
  if (mode !== "url") return { message: text, requestedSchema: requestedSchema ?? emptyForm };
  return { mode, message: text, url: url ?? "", elicitationId: crypto.randomUUID() };
}

/** Removes the name of the server: the protocol has no such member. */
function samplingParams(request: ClientSampling): JsonObject {
  const params: Record<string, JsonValue> = { ...(request as unknown as JsonObject) };
  delete params["server"];
  return params;
}

const emptyForm = { type: "object", properties: {} };

function toRoots(root: JsonValue): readonly Root[] {
  if (!isObject(root) || typeof root["uri"] !== "string") return [];
  const { uri, name } = root;
  return [{ uri, ...(typeof name === "string" ? { name } : {}) }];
}
