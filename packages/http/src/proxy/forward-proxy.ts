import {
  createServer,
  request,
  STATUS_CODES,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from "node:http";
import type { Duplex } from "node:stream";
import { parseTarget, type HostTarget } from "../address/allowed-hosts.ts";
import { connectGuarded } from "../connection/connect-guarded.ts";

/** Options of `ForwardProxy`. */
export interface ForwardProxyOptions {
  /** The addresses that a target may have; undefined: it is refused. `AllowedHosts` has such a method. */
  readonly getReach: (target: HostTarget) => "public" | "given" | undefined;
  /** Called for each connection that is refused. */
  readonly onRefused?: (target: HostTarget) => void;
  /** Clients have to send these credentials, as in RFC 9110, section 11.7. Default: none are needed. */
  readonly credentials?: { readonly username: string; readonly password: string };
}

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

const challenge = ["proxy-authenticate", `Basic realm="toolweave"`] as const;

/** The proxy's answer in place of the host's. */
class ProxyRefusal extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/**
 * An HTTP proxy for programs whose own network is not trusted. It connects to the hosts of a list and to nothing else:
 * each name is resolved once, and its address checked. What an allowed host passes on is not examined.
 */
export class ForwardProxy {
  readonly #options: ForwardProxyOptions;
  readonly #server: Server;
  /** The connections of clients, and those to hosts. */
  readonly #open = new Set<Duplex>();

  constructor(options: ForwardProxyOptions) {
    this.#options = options;
    const guard =
      (handle: RequestListener): RequestListener =>
      (incoming, response) => {
        if (this.#isKnown(incoming)) return handle(incoming, response);
        response.writeHead(407, [...challenge]).end();
      };
    this.#server = createServer(
      guard((incoming, response) => void this.#forward(incoming, response)),
    );
    this.#server.on("connect", (incoming: IncomingMessage, socket: Duplex, head: Buffer) =>
      this.#tunnel(incoming, socket, head),
    );
    this.#server.on("connection", (socket: Duplex) => this.#track(socket));
  }

  /** Serves a client whose connection was opened elsewhere. */
  serve(connection: Duplex): void {
    this.#server.emit("connection", connection);
  }

  /**
   * Listens on a free port of loopback.
   *
   * @returns the port.
   */
  async listen(): Promise<number> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once("error", reject);
      this.#server.listen(0, "127.0.0.1", resolve);
    });
    const address = this.#server.address();
    return typeof address === "object" && address !== null ? address.port : 0;
  }

  /** Ends all connections, and stops listening. */
  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    for (const connection of this.#open) connection.destroy();
    await closed;
  }

  #track(connection: Duplex): void {
    this.#open.add(connection);
    connection.once("close", () => this.#open.delete(connection));
  }

  #isKnown({ headers }: IncomingMessage): boolean {
    const { credentials } = this.#options;
    if (credentials === undefined) return true;
    const { username, password } = credentials;
    const expected = Buffer.from(`${username}:${password}`).toString("base64");
    return headers["proxy-authorization"] === `Basic ${expected}`;
  }

  /** @throws ProxyRefusal (by rejecting) */
  async #connect(target: HostTarget | undefined): Promise<Duplex> {
    if (target === undefined) throw new ProxyRefusal(400, "The proxy needs a host and a port.");
    const { getReach, onRefused } = this.#options;
    const { hostname, port } = target;
    const reach = getReach(target);
    if (reach === undefined) {
      onRefused?.(target);
      throw new ProxyRefusal(403, `Connections to ${hostname}:${port} are not allowed.`);
    }
    try {
      const connection = await connectGuarded(hostname, port, reach);
      this.#track(connection);
      return connection;
    } catch (error) {
      const { name, message } = error as Error;
      if (name !== "AddressRefused") throw new ProxyRefusal(502, message);
      onRefused?.(target);
      throw new ProxyRefusal(403, message);
    }
  }

  /** Passes bytes on in both directions: RFC 9110, section 9.3.6. */
  #tunnel(incoming: IncomingMessage, socket: Duplex, head: Buffer): void {
    socket.on("error", () => {});
    const refuse = (status: number, headers: string, text: string): void => {
      const line = `HTTP/1.1 ${status} ${STATUS_CODES[status]}`;
      socket.end(`${line}\r\n${headers}\r\nConnection: close\r\n\r\n${text}`);
    };
    if (!this.#isKnown(incoming)) {
      return refuse(407, `${challenge.join(": ")}\r\nContent-Length: 0`, "");
    }
    this.#connect(parseTarget(incoming.url ?? "", 443)).then(
      (connection): void => {
        if (socket.destroyed) return void connection.destroy();
        socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
        connection.on("error", () => socket.destroy());
        connection.write(head);
        connection.pipe(socket);
        socket.pipe(connection);
        socket.once("close", () => connection.destroy());
      },
      (error: ProxyRefusal) =>
        refuse(error.status, "Content-Type: text/plain", `${error.message}\n`),
    );
  }

  /** Sends a request that names its whole URL (RFC 9112, section 3.2.2) to its host. */
  async #forward(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const refuse = ({ message, status = 502 }: Error & { readonly status?: number }): void => {
      if (response.headersSent) response.destroy();
      else response.writeHead(status, { "content-type": "text/plain" }).end(`${message}\n`);
    };
    const url = URL.parse(incoming.url ?? "");
    const isHttp = url?.protocol === "http:" && url.username === "" && url.password === "";
    try {
      const connection = await this.#connect(isHttp ? parseTarget(url.host, 80) : undefined);
      const outgoing = request({
        method: incoming.method ?? "GET",
        path: `${(url as URL).pathname}${(url as URL).search}`,
        headers: { ...endToEndHeaders(incoming), host: (url as URL).host, connection: "close" },
        createConnection: () => connection,
      });
      outgoing.on("error", refuse);
      outgoing.on("response", (answer) => {
        response.writeHead(answer.statusCode ?? 502, endToEndHeaders(answer));
        answer.on("error", () => response.destroy());
        answer.pipe(response);
      });
      incoming.pipe(outgoing);
      response.once("close", () => connection.destroy());
    } catch (error) {
      refuse(error as Error);
    }
  }
}

function endToEndHeaders({
  headers,
}: IncomingMessage): Record<string, string | string[] | undefined> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !hopHeaders.has(name)));
}
