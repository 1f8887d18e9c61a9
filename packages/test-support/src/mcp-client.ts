import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as OldStdio } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as OldHttp } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
  LoggingMessageNotificationSchema,
  ProgressNotificationSchema,
  ResourceUpdatedNotificationSchema,
  ResultSchema,
} from "@modelcontextprotocol/sdk/types.js";

/** A JSON value; this package imports none of the others. */
type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;

/** A JSON object. */
interface JsonObject {
  readonly [member: string]: JsonValue;
}

/**
 * The clients of the official SDK: both of its versions, the second one in both generations of the
 * protocol.
 */
export const clientKinds = ["1.x", "2.x, 2025-11-25", "2.x, 2026-07-28"] as const;

/** One of them. */
export type ClientKind = (typeof clientKinds)[number];

/** The address of a server. */
export type Place =
  | { readonly url: string }
  | {
      readonly command: string;
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, string>>;
    };

/** The result of one request for a client. */
export interface Seen {
  readonly answer?: JsonValue;
  readonly error?: JsonObject;
  readonly progress: readonly JsonValue[];
  /** The questions during the request: the method and the params of each. */
  readonly asked: readonly JsonValue[];
}

/**
 * An ordinary client of the SDK, which answers every question in the same way and records its
 * messages.
 */
export interface PlainClient {
  request(method: string, params?: JsonObject): Promise<Seen>;
  /** All pages of a list. */
  list(method: string, member: string): Promise<JsonObject[]>;
  /** Subscribes to a resource. */
  subscribe(uri: string): Promise<void>;
  /** Log messages and updated resources: the notifications outside of requests. */
  readonly received: JsonObject[];
  close(): Promise<void>;
}

const info = { name: "plain", version: "1" };
const capabilities = {
  elicitation: { form: { applyDefaults: true }, url: {} },
  sampling: {},
  roots: {},
};

/** Answers to questions, by method. */
type Answers = Readonly<Record<string, (params: JsonObject) => JsonObject>>;

/** Answers that name their subject, so that they can be distinguished. */
const usualAnswers: Answers = {
  "elicitation/create": ({ mode }) =>
    mode === "url" ? { action: "accept" } : { action: "accept", content: { name: "Emma" } },
  "sampling/createMessage": () => ({
    role: "assistant",
    content: { type: "text", text: "Badly done." },
    model: "knightley",
    stopReason: "endTurn",
  }),
  "roots/list": () => ({ roots: [{ uri: "file:///hartfield", name: "Hartfield" }] }),
};

const anyResult = {
  "~standard": {
    version: 1,
    vendor: "test",
    validate: (value: unknown) => ({ value: value as JsonValue }),
  },
} as const;

/** The features of a client of either version, in one interface. */
interface Wire {
  send(request: { method: string; params: JsonObject }): Promise<unknown>;
  subscribe(uri: string): Promise<unknown>;
  close(): Promise<void>;
}

type Declared = typeof capabilities & { readonly extensions?: JsonObject };

interface Ears {
  asked(method: string, params: unknown): JsonObject;
  progressed(params: unknown): void;
  received(method: string, params: unknown): void;
}

/** The features of a client that differ from the usual ones. */
export interface ClientDifferences {
  /** Answers to questions, by method, in place of the usual ones. */
  readonly answers?: Answers;
  /** False: a question in a result (`input_required`) is returned, so that a test answers it. 2026-07-28 only. */
  readonly answersResults?: false;
  /** Extensions of the protocol that it declares. */
  readonly extensions?: JsonObject;
  /** Sends its requests over HTTP. */
  readonly fetch?: typeof fetch;
}

/** A client that is connected. */
export async function plainClient(
  kind: ClientKind,
  place: Place,
  differences: ClientDifferences = {},
): Promise<PlainClient> {
  const answers = { ...usualAnswers, ...differences.answers };
  const { extensions, fetch: send = fetch } = differences;
  const declared = extensions === undefined ? capabilities : { ...capabilities, extensions };
  const received: JsonObject[] = [];
  let asked: JsonValue[] = [];
  let progress: JsonValue[] = [];
  let requests = 0;
  const ears: Ears = {
    asked(method, params) {
      const given = plain(params ?? {}) as JsonObject;
      asked.push({ method, params: given });
      return answers[method]?.(given) ?? {};
    },
    progressed(params) {
      const { progressToken: _token, ...reported } = plain(params) as JsonObject;
      progress.push(reported);
    },
    received(method, params) {
      // The client's stream on which it arrived.
      const { _meta, ...reported } = plain(params) as JsonObject;
      received.push({ method, params: reported });
    },
  };
  const wire =
    kind === "1.x"
      ? await oldWire(place, ears, declared, send)
      : await newWire(kind, place, ears, declared, send, differences.answersResults);
  const request: PlainClient["request"] = async (method, params = {}) => {
    asked = [];
    progress = [];
    // The SDK's own `onprogress` misses progress that arrives together with the result.
    const meta = { progressToken: `request ${(requests += 1)}` };
    const outcome = await wire.send({ method, params: { ...params, _meta: meta } }).then(
      (answer) => ({ answer: plain(answer) }),
      ({ code, message, data }: { code?: unknown; message?: unknown; data?: unknown }) => ({
        error: plain({ code, message, data }) as JsonObject,
      }),
    );
    return { ...outcome, progress, asked };
  };
  return {
    request,
    received,
    async list(method, member) {
      const entries: JsonObject[] = [];
      let params = {};
      do {
        const { answer, error } = await request(method, params);
        if (error !== undefined) throw new Error(JSON.stringify(error));
        const page = answer as JsonObject & { readonly nextCursor?: string };
        entries.push(...(page[member] as JsonObject[]));
        params = page.nextCursor === undefined ? {} : { cursor: page.nextCursor };
      } while ("cursor" in params);
      return entries;
    },
    subscribe: async (uri) => void (await wire.subscribe(uri)),
    close: () => wire.close(),
  };
}

async function newWire(
  kind: ClientKind,
  place: Place,
  ears: Ears,
  declared: Declared,
  send: typeof fetch,
  autoFulfill = true,
): Promise<Wire> {
  const isModern = kind === "2.x, 2026-07-28";
  const client = new Client(info, {
    capabilities: declared as typeof capabilities,
    inputRequired: { autoFulfill },
    versionNegotiation: { mode: isModern ? { pin: "2026-07-28" } : "legacy" },
  });
  for (const method of ["elicitation/create", "sampling/createMessage", "roots/list"] as const) {
    client.setRequestHandler(method, ({ params }) => ears.asked(method, params) as never);
  }
  for (const method of ["notifications/message", "notifications/resources/updated"] as const) {
    client.setNotificationHandler(method, ({ params }) => ears.received(method, params));
  }
  await client.connect(
    "url" in place
      ? new StreamableHTTPClientTransport(new URL(place.url), { fetch: send })
      : new StdioClientTransport({ ...place, args: [...place.args], stderr: "ignore" }),
  );
  const logged = { "io.modelcontextprotocol/logLevel": "debug" };
  client.setNotificationHandler("notifications/progress", ({ params }) => ears.progressed(params));
  if (!isModern) await client.setLoggingLevel("debug");
  return {
    send: ({ method, params }) => {
      const meta = { ...(params["_meta"] as JsonObject), ...(isModern ? logged : {}) };
      return client.request({ method, params: { ...params, _meta: meta } }, anyResult, {
        allowInputRequired: !autoFulfill,
      });
    },
    subscribe: (uri) =>
      isModern
        ? client.listen({ resourceSubscriptions: [uri] })
        : client.request({ method: "resources/subscribe", params: { uri } }),
    close: () => client.close(),
  };
}

async function oldWire(
  place: Place,
  ears: Ears,
  declared: Declared,
  send: typeof fetch,
): Promise<Wire> {
  const client = new OldClient(info, { capabilities: declared as typeof capabilities });
  const answered = new Map<string | number, JsonObject>();
  for (const schema of [
    ElicitRequestSchema,
    CreateMessageRequestSchema,
    ListRootsRequestSchema,
  ] as const) {
    client.setRequestHandler(
      schema as typeof ElicitRequestSchema,
      ({ method, params }, { requestId }) => {
        // A resumed stream sends a request again.
        if (answered.has(requestId)) return answered.get(requestId) as never;
        const answer = ears.asked(method, params);
        answered.set(requestId, answer);
        return answer as never;
      },
    );
  }
  client.setNotificationHandler(LoggingMessageNotificationSchema, ({ method, params }) =>
    ears.received(method, params),
  );
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ method, params }) =>
    ears.received(method, params),
  );
  client.setNotificationHandler(ProgressNotificationSchema, ({ params }) =>
    ears.progressed(params),
  );
  await client.connect(
    "url" in place
      ? (new OldHttp(new URL(place.url), { fetch: send }) as never)
      : new OldStdio({ ...place, args: [...place.args], stderr: "ignore" }),
  );
  await client.setLoggingLevel("debug");
  return {
    send: (request) => client.request(request, ResultSchema),
    subscribe: (uri) => client.subscribeResource({ uri }),
    close: () => client.close(),
  };
}

/** As in JSON: undefined values are absent. */
function plain(value: unknown): JsonValue {
  return JSON.parse(JSON.stringify(value ?? null)) as JsonValue;
}
