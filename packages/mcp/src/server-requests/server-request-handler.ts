import { ToolError, type JsonObject, type ToolContext } from "@toolweave/core";
import type {
  ServerRequestOptions,
  ElicitationRequest,
  SamplingRequest,
  ActiveCall,
  Root,
  SamplingAnswer,
} from "../options/server-request-options.ts";
import { readElicitation } from "./elicitation.ts";
import { fillInDefaults, InvalidServerRequest } from "./form-answer.ts";
import { toActiveCall } from "./active-calls.ts";
import { pathToFileURL } from "node:url";
import { isObject, whilePersonAnswers } from "@toolweave/core/adapter";
import { isFileUri, isFileUrl } from "../options/check-server.ts";

/** A valid request of a server to the host. */
export type ParsedServerRequest =
  | { readonly method: "elicitation/create"; readonly request: ElicitationRequest }
  | { readonly method: "sampling/createMessage"; readonly request: SamplingRequest }
  | { readonly method: "roots/list" };

/** Handles requests of a server: the same for all connections of a source. */
export class ServerRequestHandler {
  /** Name of the server. */
  readonly server: string;
  readonly options: ServerRequestOptions;
  /** Calls that wait for a task of the server, by its id: requests of 2025-11-25 name their task. */
  readonly callsByTask: Map<string, ToolContext> = new Map();
  /** Pages that people were sent to. */
  readonly urlElicitations: UrlElicitations = new UrlElicitations();

  constructor(server: string, options: ServerRequestOptions) {
    this.server = server;
    this.options = options;
  }

  /**
   * Validates a request of a server.
   *
   * @throws InvalidServerRequest when it is invalid or there is no handler.
   */
  read(method: unknown, rawParams: unknown): ParsedServerRequest {
    const params = isObject(rawParams) ? rawParams : {};
    const { onSampling, samplingTools, roots } = this.options;
    switch (method) {
      case "elicitation/create":
        return {
          method,
          request: readElicitation(this.server, params, (id) =>
            this.urlElicitations.whenCompleted(id),
          ),
        };
      case "sampling/createMessage":
        if (onSampling === undefined)
          throw new InvalidServerRequest("there is no model for servers", -32601);
        return { method, request: readSampling(this.server, params, samplingTools === true) };
      case "roots/list":
        if (roots === undefined) throw new InvalidServerRequest("there are no roots", -32601);
        return { method };
      default:
        throw new InvalidServerRequest(`${String(method).slice(0, 100)} is not supported`, -32601);
    }
  }

  /** Passes a request to the host's handler. An elicitation without a handler is cancelled: there is no answer. */
  async handle(
    request: ParsedServerRequest,
    ctx: ToolContext,
    signal?: AbortSignal,
  ): Promise<JsonObject> {
    const call = toActiveCall(ctx, signal);
    switch (request.method) {
      case "elicitation/create":
        return this.#elicit(request.request, call, ctx);
      case "sampling/createMessage":
        return toSamplingResult(await this.options.onSampling?.(request.request, call));
      case "roots/list":
        return this.roots(call);
    }
  }

  /** Returns the result of `roots/list`. */
  async roots(call: ActiveCall | undefined): Promise<JsonObject> {
    const { roots = [] } = this.options;
    return toRootsResult(typeof roots === "function" ? await roots(call) : roots);
  }

  async #elicit(
    request: ElicitationRequest,
    call: ActiveCall,
    ctx: ToolContext,
  ): Promise<JsonObject> {
    const { onElicitation } = this.options;
    const asked =
      onElicitation === undefined ? undefined : Promise.resolve(onElicitation(request, call));
    const answer = asked && (await whilePersonAnswers(ctx, asked));
    if (answer?.action !== "accept")
      return { action: answer?.action === "decline" ? "decline" : "cancel" };
    if (request.mode === "url") return { action: "accept" };
    return {
      action: "accept",
      content: await fillInDefaults(request.requestedSchema, answer.content ?? {}),
    };
  }
}

/** Maximum number of people at a page at the same time, for one server. */
const maxPages = 1_000;

/** The pages that people were sent to, until the server reports that they have finished. */
class UrlElicitations {
  readonly #waiting = new Map<
    string,
    { readonly completed: Promise<void>; readonly done: () => void }
  >();

  /** Resolves when the server reports that the person has finished at the page with this id. */
  whenCompleted(id: string): Promise<void> {
    const known = this.#waiting.get(id);
    if (known !== undefined) return known.completed;
    let done = (): void => {};
    const completed = new Promise<void>((resolve) => (done = resolve));
    this.#waiting.set(id, { completed, done });
    const [oldest = id] = this.#waiting.keys();
    if (this.#waiting.size > maxPages) this.#waiting.delete(oldest);
    return completed;
  }

  /** Handles the server's report. */
  complete(id: unknown): void {
    if (typeof id !== "string") return;
    this.#waiting.get(id)?.done();
    this.#waiting.delete(id);
  }
}

/**
 * Returns the result of `roots/list`.
 *
 * @throws ToolError `internal` for a root that is neither a path nor a `file:` URL.
 */
function toRootsResult(roots: readonly Root[]): JsonObject {
  const invalid = roots.find(({ uri }) => !isFileUri(uri));
  if (invalid !== undefined) {
    throw new ToolError("internal", `roots returned "${invalid.uri}": use paths or "file:" URLs.`);
  }
  return {
    roots: roots.map(({ uri, name }) => ({
      uri: isFileUrl(uri) ? uri : pathToFileURL(uri).href,
      ...(name === undefined ? {} : { name }),
    })),
  };
}

/**
 * Validates the params of a server's `sampling/createMessage`.
 *
 * @param withTools The host's model accepts tools of servers.
 * @throws InvalidServerRequest when they are invalid.
 */
function readSampling(server: string, params: JsonObject, withTools: boolean): SamplingRequest {
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
function toSamplingResult(answer: SamplingAnswer | undefined): JsonObject {
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
