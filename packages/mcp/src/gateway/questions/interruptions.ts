import type { Interruption, JsonObject } from "@toolweave/core";
import { errorResult } from "../clients/call-result.ts";
import type { GatewayClient } from "../clients/gateway-client.ts";
import { questionsFor, type InterruptionQuestions } from "./interruption-questions.ts";
import type { RequestStates } from "../clients/request-states.ts";
import type { Served } from "../clients/serve-options.ts";

/** Characters of a `requestState`, which a client carries back and forth. */
const longestState = 1_000_000;

/** What becomes of a call that waits for a person: its client is asked, or hears how it is answered elsewhere. */
export class Interruptions {
  readonly #served: Served;
  readonly #states: RequestStates;

  constructor(served: Served, states: RequestStates) {
    this.#served = served;
    this.#states = states;
  }

  /** `undefined`: the client cannot be asked. */
  questions(
    { caller, sessionId }: GatewayClient,
    interruption: Interruption,
    capabilities: JsonObject,
  ): InterruptionQuestions | undefined {
    return questionsFor(interruption, {
      capabilities,
      approvals: this.#served.approvals === "elicit",
      hasSession: sessionId !== undefined,
      by: caller?.id ?? "the client's user",
    });
  }

  /**
   * `input_required`: the client carries the interruption until it comes back.
   *
   * @param name what the client has called.
   */
  async putAside(
    client: GatewayClient,
    name: string,
    interruption: Interruption,
    { questions }: InterruptionQuestions,
  ): Promise<JsonObject> {
    const requestState = await this.#states.seal(client, name, { interruption });
    if (requestState.length > longestState) return this.elsewhere(interruption);
    return {
      resultType: "input_required",
      inputRequests: questions as unknown as JsonObject,
      requestState,
    };
  }

  /** The client cannot be asked: the result says how somebody else answers. */
  async elsewhere(interruption: Interruption): Promise<JsonObject> {
    return errorResult(await this.howElsewhere(interruption));
  }

  /** How somebody else answers, in words for the model. */
  async howElsewhere(interruption: Interruption): Promise<string> {
    const { id, call, requests } = interruption;
    const isApproval = requests.every(({ type }) => type === "approval");
    const how =
      (await this.#served.howToAnswer?.(interruption)) ??
      `toolweave approvals ${isApproval ? "approve" : "resume"} ${id}`;
    return `${call.name} was not run to its end: it waits for a person${isApproval ? "'s approval" : ""}, who cannot be asked here. Tell the user how to go on, and do not repeat the call until they have: ${how}`;
  }
}
