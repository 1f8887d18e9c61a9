import type { JsonObject, JsonSchema, JsonValue } from "@toolweave/core";
import type { ElicitationAnswer, SamplingAnswer, Root } from "../../options/ask-options.ts";
import type { ClientCall } from "./client-call.ts";
import { CannotAsk, cannotAsk, elicitationAnswer } from "../clients/client-question.ts";
import { isObject } from "../../schema/schema-keywords.ts";
import type { ClientLog } from "../clients/request-port.ts";

/** Calls of clients of all gateways of this process, by run. */
const liveCalls = new Map<string, ClientCall>();

/** From now on the client of `call` can be asked; returns what ends that. */
export function registerClientCall(call: ClientCall): () => void {
  liveCalls.set(call.runId, call);
  return () => void liveCalls.delete(call.runId);
}

/** The call during which a server asks: what of it is needed to find the client. */
export interface AskingCall {
  readonly runId: string;
  readonly signal?: AbortSignal;
}

/** What a person is asked, as `onElicitation` of an MCP source gets it. */
export interface ClientElicitation {
  /** Default: `form`. */
  readonly mode?: "form" | "url";
  /** The server that asks: named to the person. */
  readonly server?: string;
  readonly message: string;
  readonly requestedSchema?: JsonSchema;
  readonly url?: string;
  /** Resolves when the server says that the person is done at the page: the client is told, too. */
  readonly completed?: Promise<void>;
}

/** What a client's model is asked, as `onSampling` of an MCP source gets it. */
export interface ClientSampling {
  readonly server?: string;
  readonly messages: readonly JsonObject[];
  readonly maxTokens: number;
}

/**
 * Handlers for `mcpSource` that pass a server's own questions on to the client whose call it is working on, so that a
 * gateway takes nothing away: `mcpSource({ …, ...askTheClient })`. Only calls that a gateway of this process has begun
 * have such a client. A client that cannot be asked declines an elicitation, and has no roots; sampling fails.
 */
export const askTheClient: {
  onElicitation(request: ClientElicitation, call: AskingCall): Promise<ElicitationAnswer>;
  /** @throws ToolError `execution_failed` when the client has no model to be asked, or refuses. */
  onSampling(request: ClientSampling, call: AskingCall): Promise<SamplingAnswer>;
  /**
   * The client's roots.
   *
   * @throws ToolError `execution_failed` when no call of a client's is known, or the client does not answer: a server
   * that asks outside of a call asks again, and would keep what it was told for everybody.
   */
  roots(call: AskingCall | undefined): Promise<readonly Root[]>;
  /** A log message for the client, at the level that it has asked for. */
  onLog(message: ClientLog, call: AskingCall | undefined): void;
} = {
  async onElicitation(request, call) {
    const client = liveCalls.get(call.runId);
    if (client === undefined) return { action: "decline" };
    try {
      const params = elicitationParams(request);
      const question = { method: "elicitation/create", params } as const;
      const answer = elicitationAnswer(await client.ask(question, call.signal));
      const { elicitationId } = params;
      if (answer.action === "accept" && elicitationId !== undefined && client.isLegacy) {
        const told = { elicitationId };
        void request.completed?.then(() => client.tell("notifications/elicitation/complete", told));
      }
      return answer;
    } catch (error) {
      if (error instanceof CannotAsk) return { action: "decline" };
      throw cannotAsk("What the tool needs to know", error);
    }
  },
  async onSampling(request, call) {
    const client = liveCalls.get(call.runId);
    if (client === undefined) throw cannotAsk("An answer of the client's model");
    try {
      const params = samplingParams(request);
      const answer = await client.ask({ method: "sampling/createMessage", params }, call.signal);
      const { role, content, model, stopReason } = answer;
      if (content === undefined || typeof model !== "string") throw new Error("It is no answer.");
      return {
        role: role === "user" ? role : "assistant",
        content,
        model,
        ...(typeof stopReason === "string" ? { stopReason } : {}),
      };
    } catch (error) {
      if (error instanceof CannotAsk) client.missing = error.missing;
      throw cannotAsk("An answer of the client's model", error);
    }
  },
  async roots(call) {
    const client = call && liveCalls.get(call.runId);
    if (call === undefined || client === undefined) throw cannotAsk("The client's roots");
    try {
      const { roots } = await client.ask({ method: "roots/list", params: {} }, call.signal);
      return Array.isArray(roots) ? roots.flatMap(rootOf) : [];
    } catch (error) {
      if (error instanceof CannotAsk) return [];
      throw cannotAsk("The client's roots", error);
    }
  },
  onLog({ level, logger, data }, call) {
    if (call === undefined) return;
    liveCalls.get(call.runId)?.log({ level, data, ...(logger === undefined ? {} : { logger }) });
  },
};

/**
 * Who asks stands in the message: a client knows the gateway only. And so the gateway names the question: two servers
 * may give the same id.
 */
function elicitationParams(request: ClientElicitation): JsonObject {
  const { mode, server, message, requestedSchema, url } = request;
  const shown = server === undefined ? message : `The MCP server ${server} asks: ${message}`;
  if (mode !== "url") return { message: shown, requestedSchema: requestedSchema ?? emptyForm };
  return { mode, message: shown, url: url ?? "", elicitationId: crypto.randomUUID() };
}

/** The client knows the gateway only, and its protocol no such member. */
function samplingParams(request: ClientSampling): JsonObject {
  const params: Record<string, JsonValue> = { ...(request as unknown as JsonObject) };
  delete params["server"];
  return params;
}

const emptyForm = { type: "object", properties: {} };

function rootOf(root: JsonValue): readonly Root[] {
  if (!isObject(root) || typeof root["uri"] !== "string") return [];
  const { uri, name } = root;
  return [{ uri, ...(typeof name === "string" ? { name } : {}) }];
}
