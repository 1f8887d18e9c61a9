import { setTimeout as delay } from "node:timers/promises";
import type { JsonObject } from "@toolweave/core";
import { plainClient, type ClientKind, type PlainClient } from "@toolweave/test-support/mcp-client";
import type { ClientError } from "../history/history.ts";
import { fetchForClients } from "./fetch-for-clients.ts";
import { toErrorType, toText } from "./gateway-answers.ts";

/** The response to a request, an error of the protocol that is a correct response, or why there is none. */
export type GatewayResponse =
  | { readonly answer: JsonObject; readonly session: Session }
  | { readonly refused: JsonObject }
  | { readonly lost: ClientError["type"] };

const retryMs = 100;

/** A session, or a client of a protocol without sessions. */
export interface Session {
  readonly client: PlainClient;
  /** The gateway that has the session. */
  readonly holder?: string;
  /** Requests without a response. */
  open: number;
  isLost: boolean;
}

/** A client of the SDK behind the load balancer. If its session is lost, it starts another one. */
export class GatewayClient {
  /** The decision of a person about approvals from now on. */
  decision: "approve" | "reject" = "approve";
  readonly kind: ClientKind;
  readonly #url: string;
  readonly #report: (error: ClientError) => void;
  readonly #deadline: AbortSignal;
  #connecting: Promise<Session> | undefined;

  /** @param report Receives every error in place of a response. */
  constructor(
    kind: ClientKind,
    url: string,
    report: (error: ClientError) => void,
    deadline: AbortSignal,
  ) {
    this.kind = kind;
    this.#url = url;
    this.#report = report;
    this.#deadline = deadline;
  }

  /** True for 2026-07-28: it has no session, so that each request reaches another gateway. */
  get isModern(): boolean {
    return this.kind === "2.x, 2026-07-28";
  }

  /**
   * Makes one request.
   *
   * @param isExpected true for an error of the protocol that is a correct response.
   * @param within the session that the request belongs to. Default: the present one, or a new one.
   * @throws Error when operations must have ended.
   */
  async request(
    method: string,
    params: JsonObject,
    isExpected: (error: JsonObject) => boolean = () => false,
    within?: Session,
  ): Promise<GatewayResponse> {
    if (within?.isLost === true) return { lost: "session-lost" };
    const session = within ?? (await this.#connected());
    const { client, holder } = session;
    const from = Date.now();
    session.open += 1;
    const { answer, error } = await client.request(method, params);
    session.open -= 1;
    if (error === undefined) return { answer: answer as JsonObject, session };
    if (isExpected(error)) return { refused: error };
    const lost = this.#fail(`${method}: `, JSON.stringify(error), from, holder);
    session.isLost ||= lost === "session-lost";
    // Another request may still have its response on the way.
    if (session.isLost && session.open === 0) await client.close().catch(() => {});
    return { lost };
  }

  /** Ends its session. */
  async close(): Promise<void> {
    const session = await this.#connecting?.catch(() => undefined);
    await session?.client.close().catch(() => {});
  }

  async #connected(): Promise<Session> {
    for (;;) {
      if (this.#deadline.aborted) throw new Error("its time is over.");
      const connecting = (this.#connecting ??= this.#connect());
      const session = await connecting.catch(() => undefined);
      if (session?.isLost === false) return session;
      if (this.#connecting === connecting) this.#connecting = undefined;
      if (session === undefined) await delay(retryMs);
    }
  }

  async #connect(): Promise<Session> {
    const from = Date.now();
    const differences = {
      answers: { "elicitation/create": (params: JsonObject) => this.#answer(params) },
      answersResults: false as const,
      ...(this.isModern ? {} : { fetch: fetchForClients(this.#deadline) }),
    };
    const client = await plainClient(this.kind, { url: this.#url }, differences).catch(
      (error: unknown) => {
        this.#fail("connect: ", String(error), from);
        throw error;
      },
    );
    if (this.isModern) return { client, open: 0, isLost: false };
    const { answer, error } = await client.request("tools/call", { name: "where" });
    if (error !== undefined) {
      this.#fail("where: ", JSON.stringify(error), from);
      await client.close().catch(() => {});
      throw new Error("The session was lost.");
    }
    return { client, holder: toText(answer as JsonObject), open: 0, isLost: false };
  }

  #answer({ message }: JsonObject): JsonObject {
    return message === "Sure?"
      ? { action: "accept" }
      : { action: "accept", content: { decision: this.decision } };
  }

  #fail(before: string, text: string, from: number, holder?: string): ClientError["type"] {
    const type = toErrorType(text);
    this.#report({
      ...{ client: this.kind, type, from, until: Date.now(), text: before + text },
      ...(holder === undefined ? {} : { holder }),
    });
    return type;
  }
}
