import type { Client } from "@modelcontextprotocol/client";
import type { JsonObject } from "@toolweave/core";
import type {
  McpConnection,
  ProtocolEra,
  RequestOptions,
  ServerIdentity,
  ConnectionFaults,
} from "../messages/mcp-connection.ts";
import type { Subscription } from "./subscription.ts";
import type { RpcConnection } from "./rpc-connection.ts";

/** A connection of our own. */
export class NegotiatedConnection implements McpConnection {
  readonly era: ProtocolEra;
  readonly protocolVersion: string;
  readonly server: ServerIdentity;
  readonly closed: Promise<unknown>;
  readonly #wire: RpcConnection;
  readonly #subscription: Subscription;

  constructor(client: Client, wire: RpcConnection, subscription: Subscription) {
    this.#wire = wire;
    this.#subscription = subscription;
    this.era = wire.era;
    this.protocolVersion = client.getNegotiatedProtocolVersion() ?? "";
    this.server = getServerIdentity(client);
    this.closed = wire.closed;
  }

  get faults(): ConnectionFaults {
    return this.#wire.faults;
  }

  request(method: string, params: JsonObject, options: RequestOptions): Promise<unknown> {
    return this.#wire.request(method, params, options);
  }

  notify(method: string, params: JsonObject): Promise<void> {
    return this.#wire.notify(method, params);
  }

  speaksNewer(signal: AbortSignal): Promise<boolean> {
    return this.#wire.speaksNewer(signal);
  }

  async close(): Promise<void> {
    this.#subscription.close();
    await this.#wire.close().catch(() => {});
  }
}

/** What clients of the SDK know of their server, from version 1 on. */
interface ConnectedClient {
  getServerVersion(): { readonly name?: string; readonly version?: string } | undefined;
  getServerCapabilities(): object | undefined;
  getInstructions(): string | undefined;
}

/** What a server says of itself. */
export function getServerIdentity(client: ConnectedClient): ServerIdentity {
  const { name, version } = client.getServerVersion() ?? {};
  const instructions = client.getInstructions();
  return {
    ...(name === undefined ? {} : { name }),
    ...(version === undefined ? {} : { version }),
    ...(instructions === undefined ? {} : { instructions }),
    capabilities: (client.getServerCapabilities() ?? {}) as JsonObject,
  };
}
