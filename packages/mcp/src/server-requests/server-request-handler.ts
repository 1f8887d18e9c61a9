import { whilePersonAnswers, type JsonObject, type ToolContext } from "@toolweave/core";
import { isObject } from "../schema/schema-keywords.ts";
import type {
  AskOptions,
  ElicitationRequest,
  SamplingRequest,
  LiveCall,
} from "../options/ask-options.ts";
import { readElicitation } from "./elicitation.ts";
import { fillInDefaults } from "./form.ts";
import { toLiveCall } from "./active-calls.ts";
import { UrlElicitations } from "./url-elicitations.ts";
import { rootsResult } from "./roots.ts";
import { readSampling, samplingResult } from "./sampling.ts";
import { InvalidServerRequest } from "./invalid-server-request.ts";

/** What a server asks, once it is known to be a question that can be put to somebody. */
export type Question =
  | { readonly method: "elicitation/create"; readonly request: ElicitationRequest }
  | { readonly method: "sampling/createMessage"; readonly request: SamplingRequest }
  | { readonly method: "roots/list" };

/** What the host answers when a server asks: the same for all connections of a source. */
export class ServerRequestHandler {
  /** The server's name. */
  readonly server: string;
  readonly options: AskOptions;
  /** Pages that people were sent to. */
  readonly urlElicitations: UrlElicitations = new UrlElicitations();

  constructor(server: string, options: AskOptions) {
    this.server = server;
    this.options = options;
  }

  /**
   * What a request of a server's asks.
   *
   * @throws InvalidServerRequest when nobody is to be asked that, or nobody is there to be asked.
   */
  read(method: unknown, given: unknown): Question {
    const params = isObject(given) ? given : {};
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
          throw new InvalidServerRequest("no model is lent to servers", -32601);
        return { method, request: readSampling(this.server, params, samplingTools === true) };
      case "roots/list":
        if (roots === undefined) throw new InvalidServerRequest("there are no roots", -32601);
        return { method };
      default:
        throw new InvalidServerRequest(`${String(method).slice(0, 100)} is not known here`, -32601);
    }
  }

  /** Puts a question to the host. An elicitation without a handler is declined. */
  async answer(question: Question, ctx: ToolContext, signal?: AbortSignal): Promise<JsonObject> {
    const call = toLiveCall(ctx, signal);
    switch (question.method) {
      case "elicitation/create":
        return this.#elicit(question.request, call, ctx);
      case "sampling/createMessage":
        return samplingResult(await this.options.onSampling?.(question.request, call));
      case "roots/list":
        return this.roots(call);
    }
  }

  /** The answer to `roots/list`. */
  async roots(call: LiveCall | undefined): Promise<JsonObject> {
    const { roots = [] } = this.options;
    return rootsResult(typeof roots === "function" ? await roots(call) : roots);
  }

  async #elicit(
    request: ElicitationRequest,
    call: LiveCall,
    ctx: ToolContext,
  ): Promise<JsonObject> {
    const { onElicitation } = this.options;
    const asked =
      onElicitation === undefined ? undefined : Promise.resolve(onElicitation(request, call));
    const answer = asked && (await whilePersonAnswers(ctx, asked));
    if (answer?.action !== "accept")
      return { action: answer?.action === "cancel" ? "cancel" : "decline" };
    if (request.mode === "url") return { action: "accept" };
    return {
      action: "accept",
      content: await fillInDefaults(request.requestedSchema, answer.content ?? {}),
    };
  }
}
