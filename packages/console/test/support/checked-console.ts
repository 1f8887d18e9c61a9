import { ToolExecutor, ToolRegistry, type ExecutorOptions, type Tool } from "@toolweave/core";
import { memoryPendingCalls } from "@toolweave/core/stores";
import { Ajv2020 } from "ajv/dist/2020.js";
import {
  bearerTokens,
  consoleHandler,
  type ConsoleHandler,
  type ConsoleOptions,
} from "../../src/index.ts";
import { matchPath } from "../../src/openapi/route.ts";

const origin = "http://127.0.0.1:8138";

/** A secret that no response may contain. */
export const secret = "fixture-secret-9f8e7d6c5b4a";

const tokens = {
  ada: "ada-0123456789abcdef0123456789abcdef",
  bob: "bob-0123456789abcdef0123456789abcdef",
  agent: "agent-0123456789abcdef0123456789abc",
} as const;

const authenticate = bearerTokens([
  { token: tokens.ada, caller: { id: "ada" }, scopes: ["read", "call", "decide"] },
  { token: tokens.bob, caller: { id: "bob" }, scopes: ["read", "call", "decide"] },
  { token: tokens.agent, caller: { id: "ada", agent: "helper" }, scopes: ["read", "call"] },
]);

interface Sent {
  readonly method?: string;
  /** Default: ada. */
  readonly as?: keyof typeof tokens;
  readonly json?: unknown;
}

interface Received<Body> {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: Body;
}

interface Document {
  readonly paths: Readonly<
    Record<
      string,
      Readonly<
        Record<
          string,
          {
            responses: Readonly<
              Record<string, { content?: Readonly<Record<string, { schema: object }>> }>
            >;
          }
        >
      >
    >
  >;
}

/** The API over an executor. Each response is checked against the document of the API, and contains no secret. */
export class CheckedConsole {
  readonly executor: ToolExecutor;
  readonly #handler: ConsoleHandler;
  readonly #ajv: Ajv2020 = new Ajv2020({ strict: false });
  #document: Document | undefined;

  constructor(
    tools: readonly Tool[] = [],
    options: Partial<ExecutorOptions> = {},
    attached: Partial<ConsoleOptions> = {},
  ) {
    const pendingCalls = options.pendingCalls ?? memoryPendingCalls();
    this.executor = new ToolExecutor({
      registry: new ToolRegistry(tools),
      redact: { secrets: [secret] },
      pendingCalls,
      ...options,
    });
    const { executor } = this;
    const stores = { pendingCalls };
    this.#handler = consoleHandler({
      ...{ executor, stores, authenticate, origins: [origin] },
      ...attached,
    });
  }

  async send<Body = Record<string, unknown>>(
    path: string,
    { method, as = "ada", json }: Sent = {},
  ): Promise<Received<Body>> {
    const verb = method ?? (json === undefined ? "GET" : "POST");
    const response = await this.#fetch(path, verb, tokens[as], json);
    const text = await response.text();
    if (text.includes(secret)) throw new Error(`${verb} ${path} displays the secret.`);
    const isJson = /json/.test(response.headers.get("content-type") ?? "");
    const body = (isJson ? JSON.parse(text) : undefined) as Body;
    await this.#check(path, verb, response.status, isJson ? body : undefined);
    const { status, headers } = response;
    return { status, headers, text, body };
  }

  #fetch(path: string, method: string, token: string, json?: unknown): Promise<Response> {
    const headers = {
      host: new URL(origin).host,
      authorization: `Bearer ${token}`,
      ...(json === undefined ? {} : { "content-type": "application/json" }),
    };
    const body = json === undefined ? {} : { body: JSON.stringify(json) };
    return this.#handler(new Request(`${origin}${path}`, { method, headers, ...body }));
  }

  async #check(path: string, method: string, status: number, body: unknown): Promise<void> {
    if (this.#document === undefined) {
      const response = await this.#fetch("/api/openapi.json", "GET", "");
      this.#document = (await response.json()) as Document;
      this.#ajv.addSchema(this.#document, "api");
    }
    const { paths } = this.#document;
    const [pathname = ""] = path.split("?");
    const template = Object.keys(paths).find((one) => matchPath(one, pathname) !== undefined);
    const operation = paths[template ?? ""]?.[method.toLowerCase()];
    const described = operation?.responses[status];
    if (described === undefined) throw new Error(`${method} ${path} does not describe ${status}.`);
    const [media] = Object.values(described.content ?? {});
    if (body === undefined || media === undefined) return;
    const schema = JSON.stringify(media.schema).replaceAll('"#/components', '"api#/components');
    const validate = this.#ajv.compile(JSON.parse(schema) as object);
    if (validate(body)) return;
    const faults = this.#ajv.errorsText(validate.errors);
    throw new Error(`${method} ${path} (${status}) is not as described: ${faults}`);
  }
}
