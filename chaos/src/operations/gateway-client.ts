import { createHash } from "node:crypto";
import type { JsonObject } from "@toolweave/core";
import {
  plainClient,
  type ClientKind,
  type PlainClient,
  type Seen,
} from "@toolweave/test-support/mcp-client";
import type { Answer, ClientError } from "../history/history.ts";

/** A client of a gateway behind the load balancer. If it loses its session or connection, it starts another one. */
export class GatewayClient {
  /** What a person decides about approvals from now on. */
  decision: "approve" | "reject" = "approve";
  readonly kind: ClientKind;
  readonly #url: string;
  readonly #report: (error: ClientError) => void;
  readonly #deadline: AbortSignal;
  #connection: Promise<Connection> | undefined;
  #holder: string | undefined;

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

  /** The gateway that has its present session. */
  get holder(): string | undefined {
    return this.#holder;
  }

  /**
   * Makes one request. `undefined`: there is no response.
   *
   * @param isExpected true for an error of the protocol that is a correct response.
   * @throws Error when operations must have ended.
   */
  async request(
    method: string,
    params: JsonObject,
    isExpected: (error: JsonObject) => boolean = () => false,
  ): Promise<Seen | undefined> {
    const { client } = await this.#connected();
    const connection = this.#connection;
    const from = Date.now();
    const seen = await client.request(method, params);
    if (seen.error === undefined || isExpected(seen.error)) return seen;
    this.#fail(JSON.stringify(seen.error), from, `${method}: `);
    // The next request starts another session.
    if (this.#connection === connection) await this.close();
    return undefined;
  }

  /** Ends its session. */
  async close(): Promise<void> {
    const connection = this.#connection;
    this.#connection = undefined;
    this.#holder = undefined;
    await (await connection?.catch(() => undefined))?.client.close().catch(() => {});
  }

  async #connected(): Promise<Connection> {
    for (;;) {
      if (this.#deadline.aborted) throw new Error("its time is over.");
      const connecting = (this.#connection ??= this.#connect());
      const connection = await connecting.catch(() => undefined);
      if (connection !== undefined) return connection;
      if (this.#connection === connecting) this.#connection = undefined;
    }
  }

  async #connect(): Promise<Connection> {
    const from = Date.now();
    const differences = {
      answers: { "elicitation/create": (params: JsonObject) => this.#answer(params) },
      answersResults: false as const,
      ...(this.isModern ? { extensions: { "io.modelcontextprotocol/tasks": {} } } : {}),
    };
    const client = await plainClient(this.kind, { url: this.#url }, differences).catch(
      (error: unknown) => {
        this.#fail(String(error), from, "connect: ");
        throw error;
      },
    );
    if (this.isModern) return { client };
    const { answer, error } = await client.request("tools/call", { name: "where" });
    if (error !== undefined) {
      this.#fail(JSON.stringify(error), from, "where: ");
      await client.close().catch(() => {});
      throw new Error("The session was lost.");
    }
    this.#holder = toText(answer as JsonObject);
    return { client };
  }

  #answer({ message }: JsonObject): JsonObject {
    return message === "Sure?"
      ? { action: "accept" }
      : { action: "accept", content: { decision: this.decision } };
  }

  #fail(text: string, from: number, before: string): void {
    const holder = this.#holder;
    this.#report({
      ...{ client: this.kind, type: toErrorType(text), from, until: Date.now() },
      text: before + text,
      ...(holder === undefined ? {} : { holder }),
    });
  }
}

interface Connection {
  readonly client: PlainClient;
}

/** The type of an error of a client of the SDK, from its code and text. */
export function toErrorType(text: string): ClientError["type"] {
  if (/"code":404|Session not found|HTTP 404/.test(text)) return "session-lost";
  if (/may have run/.test(text)) return "may-have-run";
  if (/fetch failed|terminated|socket|ECONNRESET|Connection closed|disconnected/i.test(text)) {
    return "connection-lost";
  }
  return "other";
}

/** The text of a result. */
export function toText({ content }: { readonly content?: unknown }): string {
  return ((content ?? []) as readonly { readonly text?: string }[])
    .map(({ text = "" }) => text)
    .join("\n");
}

/** Codes of errors, by texts of a result. */
const codes: readonly (readonly [RegExp, string])[] = [
  [/may have run|was cut off/, "outcome_unknown"],
  [/is resuming this call/, "approval_invalid"],
  [/did not approve/, "approval_rejected"],
  [/cancelled/i, "cancelled"],
];

/** What a result of `tools/call`, or of a task, says about its call. */
export function toStatus(
  result: JsonObject,
): Pick<Answer, "status" | "code" | "digest"> & { readonly text: string } {
  const text = toText(result);
  if (result["isError"] !== true) {
    return { status: "completed", digest: createHash("sha256").update(text).digest("hex"), text };
  }
  const code = codes.find(([pattern]) => pattern.test(text))?.[1] ?? "unexpected";
  return { status: "failed", code, text };
}
