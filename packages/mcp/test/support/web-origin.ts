import { createServer, type IncomingHttpHeaders } from "node:http";
import { startServer } from "@toolweave/test-support/start-server";

/** The requests to an origin. */
interface Asked {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** The answer of an origin. */
export interface Said {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** As JSON. */
  readonly body?: unknown;
}

/** An origin on loopback whose answers a test sets. */
export interface WebOrigin {
  readonly origin: string;
  readonly asked: Asked[];
  /** By path; other paths are a 404. */
  readonly says: Map<string, Said | ((asked: Asked) => Said)>;
}

/** Starts one; it ends with the test. */
export async function webOrigin(): Promise<WebOrigin> {
  const asked: Asked[] = [];
  const says: WebOrigin["says"] = new Map();
  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (text: string) => (body += text));
    request.on("end", () => {
      const { method = "", url = "/", headers } = request;
      const path = url.replace(/[?].*/, "");
      const one: Asked = { method, path, headers, body };
      asked.push(one);
      const saying = says.get(path) ?? { status: 404 };
      const said = typeof saying === "function" ? saying(one) : saying;
      response.writeHead(said.status ?? 200, {
        "content-type": "application/json",
        ...said.headers,
      });
      response.end(said.body === undefined ? "" : JSON.stringify(said.body));
    });
  });
  return { origin: await startServer(server), asked, says };
}
