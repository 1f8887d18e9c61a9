import type { Interruption, JsonObject } from "@toolweave/core";
import { errorResult } from "../clients/call-result.ts";
import type { GatewayClient } from "../clients/gateway-client.ts";
import { toQuestions, type InterruptionQuestions } from "./interruption-questions.ts";
import type { RequestStates } from "../clients/request-states.ts";
import type { GatewaySettings } from "../clients/serve-options.ts";

/** Maximum number of characters of a `requestState`, which a client sends back. */
const maxStateLength = 1_000_000;

/**
 * Handles a call that waits for a person: its client is asked, or receives a result that says how it is answered
 * elsewhere.
 */
export class Interruptions {
  readonly #served: GatewaySettings;
  readonly #states: RequestStates;

  constructor(served: GatewaySettings, states: RequestStates) {
    this.#served = served;
    this.#states = states;
  }

  /** Returns the questions for the client; `undefined`: the client cannot be asked. */
  createQuestions(
    { caller, sessionId }: GatewayClient,
    interruption: Interruption,
    capabilities: JsonObject,
  ): InterruptionQuestions | undefined {
    return toQuestions(interruption, {
      capabilities,
      approvals: this.#served.approvals === "elicit",
      hasSession: sessionId !== undefined,
      by: caller?.id ?? "the client's user",
    });
  }

  /**
   * Returns `input_required` with the interruption as its state.
   *
   * @param name Name of the called tool.
   */
  async toInputRequired(
    client: GatewayClient,
    name: string,
    interruption: Interruption,
    { questions }: InterruptionQuestions,
  ): Promise<JsonObject> {
    const requestState = await this.#states.seal(client, name, { interruption });
    if (requestState.length > maxStateLength) return this.toOutOfBandResult(interruption);
    return {
      resultType: "input_required",
      inputRequests: questions as unknown as JsonObject,
      requestState,
    };
  }

  /** Returns the result for a client that cannot be asked: it says how the call is answered elsewhere. */
  async toOutOfBandResult(interruption: Interruption): Promise<JsonObject> {
    return errorResult(await this.outOfBandMessage(interruption));
  }

  /** Returns the message for the model that says how the call is answered elsewhere. */
  async outOfBandMessage(interruption: Interruption): Promise<string> {
    const { id, call, requests } = interruption;
    const isApproval = requests.every(({ type }) => type === "approval");
    const how =
      (await this.#served.howToAnswer?.(interruption)) ??
      `toolweave approvals ${isApproval ? "approve" : "resume"} ${id}`;
    return `${call.name} is not completed: it waits for ${isApproval ? "the approval of a person" : "a person"} who cannot be asked here. Tell the user how to continue, and do not repeat the call before they have: ${how}`;
  }
}
