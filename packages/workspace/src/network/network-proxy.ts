import {
  createServer,
  request,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from "node:http";
import { performServerHandshake } from "node:http2";
import { duplexPair, type Duplex } from "node:stream";
import {
  AllowedHosts,
  connectGuarded,
  parseTarget,
  type HostTarget,
  type NetworkRules,
} from "@toolweave/http";

/** The connections of one command. */
export interface ServedNetwork {
  /** The hosts that the command asked for and was refused, as `host:port`. */
  readonly refused: ReadonlySet<string>;
}

const maxRefused = 20;

/** Headers that belong to one connection: RFC 9110, section 7.6.1. */
const hopHeaders: ReadonlySet<string> = new Set([
  "connection",
  "keep-alive",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/**
 * An HTTP proxy for commands that have no network of their own. It connects to the hosts of a list and to nothing else:
 * each name is resolved once, and its address checked. What an allowed host passes on is not examined.
 */
export class NetworkProxy {
  readonly #allowed: AllowedHosts;

  /** @throws ToolError `invalid_configuration` for an entry that is no host. */
  constructor(rules: NetworkRules) {
    this.#allowed = new AllowedHosts("workspace: network", rules);
  }

  /** Serves a command, whose connections come over a pipe as streams of HTTP/2. They end with the pipe. */
  serve(pipe: Duplex): ServedNetwork {
    const refused = new Set<string>();
    const server = this.#createServer((target) => {
      if (refused.size < maxRefused) refused.add(`${target.hostname}:${target.port}`);
    });
    const session = performServerHandshake(pipe);
    session.on("error", () => pipe.destroy());
    session.on("stream", (stream) => {
      stream.respond({ ":status": 200 });
      // Between them, since texts that are written to a stream of HTTP/2 directly arrive damaged.
      const [inner, outer] = duplexPair();
      stream.on("error", () => outer.destroy());
      outer.on("error", () => stream.close());
      stream.pipe(outer).pipe(stream);
      server.emit("connection", inner);
    });
    return { refused };
  }

  #createServer(onRefused: (target: HostTarget) => void): Server {
    const open = async (target: HostTarget | undefined): Promise<Duplex> => {
      if (target === undefined) throw new Error("The proxy needs a host and a port.");
      const reach = this.#allowed.getReach(target);
      if (reach === undefined) {
        onRefused(target);
        throw new Error(
          `The workspace does not allow connections to ${target.hostname}:${target.port}.`,
        );
      }
      try {
        return await connectGuarded(target.hostname, target.port, reach);
      } catch (error) {
        if ((error as Error).name === "AddressRefused") onRefused(target);
        throw error;
      }
    };
    const server = createServer((incoming, response) => void forward(incoming, response, open));
    server.on("connect", (incoming: IncomingMessage, socket: Duplex, head: Buffer) => {
      socket.on("error", () => {});
      open(parseTarget(incoming.url ?? "", 443)).then(
        (connection) => {
          socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
          connection.on("error", () => socket.destroy());
          connection.write(head);
          connection.pipe(socket);
          socket.pipe(connection);
          socket.once("close", () => connection.destroy());
        },
        (error: Error) => {
          socket.end(
            `HTTP/1.1 403 Forbidden\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\n${error.message}\n`,
          );
        },
      );
    });
    return server;
  }
}

/** Sends a request that names its whole URL (RFC 9112, section 3.2.2) to its host. */
async function forward(
  incoming: IncomingMessage,
  response: ServerResponse,
  open: (target: HostTarget | undefined) => Promise<Duplex>,
): Promise<void> {
  const refuse = (error: Error): void => {
    if (response.headersSent) response.destroy();
    else response.writeHead(403, { "content-type": "text/plain" }).end(`${error.message}\n`);
  };
  const url = URL.parse(incoming.url ?? "");
  const isHttp = url?.protocol === "http:" && url.username === "" && url.password === "";
  try {
    const connection = await open(isHttp ? parseTarget(url.host, 80) : undefined);
    const outgoing = request({
      method: incoming.method ?? "GET",
      path: `${(url as URL).pathname}${(url as URL).search}`,
      headers: { ...endToEndHeaders(incoming), host: (url as URL).host, connection: "close" },
      createConnection: () => connection,
    });
    outgoing.on("error", refuse);
    outgoing.on("response", (answer) => {
      response.writeHead(answer.statusCode ?? 502, endToEndHeaders(answer));
      answer.pipe(response);
    });
    incoming.pipe(outgoing);
    response.once("close", () => connection.destroy());
  } catch (error) {
    refuse(error as Error);
  }
}

function endToEndHeaders({
  headers,
}: IncomingMessage): Record<string, string | string[] | undefined> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !hopHeaders.has(name)));
}
