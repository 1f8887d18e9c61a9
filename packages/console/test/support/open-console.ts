import {
  defineTool,
  ToolExecutor,
  ToolRegistry,
  type Caller,
  type ExecutorOptions,
  type Tool,
} from "@toolweave/core";
import type { GrantStore, PendingCallStore } from "@toolweave/core/stores";
import {
  bearerTokens,
  consoleHandler,
  type AnswerResult,
  type Approval,
  type ApprovalList,
  type ConsoleHandler,
} from "../../src/index.ts";

export const origin = "https://agents.example.com";
const key = "0123456789abcdef0123456789abcdef";

/** Tokens by the name of their owner. */
export const tokens = {
  ada: "ada-0123456789abcdef0123456789abcdef",
  bob: "bob-0123456789abcdef0123456789abcdef",
  reader: "reader-0123456789abcdef0123456789ab",
  agent: "agent-0123456789abcdef0123456789abc",
} as const;

export const authenticate = bearerTokens([
  { token: tokens.ada, caller: { id: "ada" }, scopes: ["read", "decide"] },
  { token: tokens.bob, caller: { id: "bob" }, scopes: ["read", "decide"] },
  { token: tokens.reader, caller: { id: "dashboard", agent: "dashboard" }, scopes: ["read"] },
  { token: tokens.agent, caller: { id: "ada", agent: "helper" }, scopes: ["read", "call"] },
]);

/** The stores that the processes of a test share. */
export interface TestStores {
  readonly pendingCalls: PendingCallStore;
  readonly grants: GrantStore;
}

/** A request as a test writes it. */
export interface TestRequest {
  readonly method?: string;
  /** The owner of the token; `null`: no token. Default: ada. */
  readonly as?: keyof typeof tokens | null;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly json?: unknown;
  readonly body?: string | Uint8Array<ArrayBuffer>;
}

/** A response with its body. */
export interface TestResponse<Body> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Body;
}

/** One process: an executor with tools, and the API in front of it. */
export class TestProcess {
  /** The effects of the tools, in order. */
  readonly effects: string[] = [];
  readonly executor: ToolExecutor;
  readonly handler: ConsoleHandler;
  readonly stores: TestStores;

  constructor(
    stores: TestStores,
    options: Partial<ExecutorOptions> & { readonly tools?: readonly Tool[] } = {},
  ) {
    const { tools = [], ...others } = options;
    this.stores = stores;
    // Stores have more than an executor takes.
    const { pendingCalls, grants } = stores;
    this.executor = new ToolExecutor({
      registry: new ToolRegistry([payTool(this.effects), ...tools]),
      key,
      pendingCalls,
      grants,
      ...others,
    });
    this.handler = consoleHandler({
      executor: this.executor,
      stores: { pendingCalls },
      authenticate,
      origins: [origin],
    });
  }

  /** Makes a call that waits, and returns its id. */
  async makeCall(
    args: Readonly<Record<string, unknown>> = { to: "mira", euros: 49 },
    caller: Caller | undefined = { id: "shop-agent" },
    name = "pay",
  ): Promise<string> {
    const call = { id: "call_1", name, arguments: args };
    const outcome = await this.executor.execute(call, { caller });
    if (outcome.status !== "interrupted") throw new Error(`It is ${outcome.status}.`);
    return outcome.interruption.id;
  }

  async send<Body = Record<string, unknown>>(
    path: string,
    { method, as = "ada", headers = {}, json, body }: TestRequest = {},
  ): Promise<TestResponse<Body>> {
    const sent = json === undefined ? body : JSON.stringify(json);
    const request = new Request(`${origin}${path}`, {
      method: method ?? (sent === undefined ? "GET" : "POST"),
      headers: {
        host: new URL(origin).host,
        ...(as === null ? {} : { authorization: `Bearer ${tokens[as]}` }),
        ...(json === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      ...(sent === undefined ? {} : { body: sent }),
    });
    const response = await this.handler(request);
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      body: (text === "" ? undefined : JSON.parse(text)) as Body,
    };
  }

  async list(query = ""): Promise<ApprovalList> {
    return (await this.send<ApprovalList>(`/api/approvals${query}`)).body;
  }

  async read(id: string): Promise<Approval> {
    return (await this.send<Approval>(`/api/approvals/${id}`)).body;
  }

  /** Reads the approval, and answers what it has read. */
  async answer(
    id: string,
    answers: readonly object[] = [{ type: "approve" }],
    as: keyof typeof tokens = "ada",
  ): Promise<TestResponse<AnswerResult & { readonly code?: string }>> {
    const { digest } = await this.read(id);
    return this.send(`/api/approvals/${id}/answers`, { as, json: { digest, answers } });
  }
}

function payTool(effects: string[]): Tool {
  return defineTool({
    name: "pay",
    description: "Pays money.",
    input: {
      type: "object",
      properties: { to: { type: "string" }, euros: { type: "number" }, note: {} },
      required: ["to", "euros"],
    },
    needsApproval: true,
    execute: ({ to, euros }) => {
      effects.push(`${to} ${euros}`);
      return { paid: euros };
    },
  });
}
