import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { JsonObject, Tool } from "@toolweave/core";
import { isObject, sampleValue } from "./sample-value.ts";

/** The triggers for results other than a success. */
export type Scene = "missing" | "slow" | "large";

/** The argument that says so: a text, or what an operation without free texts takes. */
export const markers: Readonly<Record<Scene, Readonly<Record<MarkerKind, string | number>>>> = {
  missing: {
    text: "not-to-be-found",
    integer: 404_404,
    date: "2404-04-04",
    uuid: "00000000-0000-4000-8000-000000404404",
  },
  slow: {
    text: "never-to-be-answered",
    integer: 408_408,
    date: "2408-08-08",
    uuid: "00000000-0000-4000-8000-000000408408",
  },
  large: {
    text: "much-to-be-told",
    integer: 413_413,
    date: "2413-12-13",
    uuid: "00000000-0000-4000-8000-000000413413",
  },
};

/** The kind of argument of a marker. */
export type MarkerKind = "text" | "integer" | "date" | "uuid";

/** Bytes of a large answer. */
export const largeBytes = 300_000;

/** A server that answers each operation of a document as the document says. */
export interface AnsweringServer {
  readonly url: string;
  /** How many requests of an operation have come. */
  count(tool: Tool): number;
  /** How many requests have come that may change something. */
  changes(): number;
  /** From here on the server does not answer. */
  pause(): Promise<void>;
  resume(): Promise<void>;
  close(): Promise<void>;
}

/** Starts it on loopback. It repeats in its answers the credentials that it is sent. */
export async function answeringServer(tools: () => readonly Tool[]): Promise<AnsweringServer> {
  const counts = new Map<string, number>();
  let changes = 0;
  const routes = (): readonly Route[] => (known ??= tools().map(findRoute).sort(moreFixedFirst));
  let known: readonly Route[] | undefined;
  const server = createServer((request, response) => {
    const { method = "", url = "" } = request;
    const route = routes().find(({ matches }) => matches(method, readPath(url)));
    counts.set(route?.tool.spec.name ?? "", (counts.get(route?.tool.spec.name ?? "") ?? 0) + 1);
    if (method !== "GET" && method !== "HEAD") changes += 1;
    request.resume().once("end", () => answer(request, response, route));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  const stop = async (): Promise<void> => {
    if (!server.listening) return;
    const closed = once(server.close(), "close");
    server.closeAllConnections();
    await closed;
  };
  return {
    url: `http://127.0.0.1:${port}`,
    count: (tool) => counts.get(tool.spec.name) ?? 0,
    changes: () => changes,
    pause: stop,
    resume: async () => void (await once(server.listen(port, "127.0.0.1"), "listening")),
    close: stop,
  };
}

interface Route {
  readonly tool: Tool;
  readonly fixed: number;
  readonly matches: (method: string, path: string) => boolean;
}

function findRoute(tool: Tool): Route {
  const { method = "", path = "" } = tool.spec.provenance.origin as {
    readonly method?: string;
    readonly path?: string;
  };
  const [plain = ""] = path.split(/[?#]/);
  const pattern = plain
    .split(/(\{[^}]*\})/)
    .map((part) =>
      part.startsWith("{") ? "[^/]*" : part.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&"),
    )
    .join("");
  const whole = new RegExp(`${pattern}$`);
  return {
    tool,
    fixed: plain.replaceAll(/\{[^}]*\}/g, "").length,
    matches: (asked, at) => asked.toUpperCase() === method.toUpperCase() && whole.test(at),
  };
}

/** `/pets/mine` before `/pets/{id}`, and both before `/{id}`. */
function moreFixedFirst(a: Route, b: Route): number {
  return b.fixed - a.fixed;
}

function readPath(url: string): string {
  return new URL(url, "http://x").pathname;
}

function answer(
  request: IncomingMessage,
  response: ServerResponse,
  route: Route | undefined,
): void {
  const asked = `${request.url} ${JSON.stringify(request.headers)}`;
  const says = (scene: Scene): boolean =>
    Object.values(markers[scene]).some((marker) => asked.includes(`${marker}`));
  const credentials = { ...request.headers, url: request.url } as JsonObject;
  const json = (status: number, body: unknown): void => {
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  };
  if (says("slow")) return;
  if (says("missing")) return json(404, { error: "There is no such thing.", credentials });
  if (says("large")) return json(200, { text: "much to be told ".repeat(largeBytes / 16) });
  const schema = route?.tool.spec.outputSchema;
  if (schema === undefined) return json(200, { credentials });
  const value = sampleValue(schema, schema);
  const isClosed = schema["additionalProperties"] === false;
  json(200, isObject(value) && !isClosed ? { credentials, ...value } : value);
}
