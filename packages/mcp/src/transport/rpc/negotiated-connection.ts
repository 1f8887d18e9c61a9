import type { Client } from "@modelcontextprotocol/client";
import type { JsonObject } from "@toolweave/core";
import type {
  McpConnection,
  ProtocolEra,
  ServerIdentity,
  ConnectionFaults,
} from "../messages/mcp-connection.ts";
import type { Subscription } from "./subscription.ts";
import type { RpcConnection } from "./rpc-connection.ts";

/** A connection whose protocol version the SDK has negotiated. */
export class NegotiatedConnection implements McpConnection {
  readonly era: ProtocolEra;
  readonly protocolVersion: string;
  readonly server: ServerIdentity;
  readonly closed: Promise<unknown>;
  readonly request: McpConnection["request"];
  readonly #rpc: RpcConnection;
  readonly #subscription: Subscription;

  constructor(client: Client, rpc: RpcConnection, subscription: Subscription) {
    this.#rpc = rpc;
    this.#subscription = subscription;
    this.era = rpc.era;
    this.protocolVersion = client.getNegotiatedProtocolVersion() ?? "";
    this.server = getServerIdentity(client);
    this.closed = rpc.closed;
    this.request = rpc.request.bind(rpc);
  }

  get faults(): ConnectionFaults {
    return this.#rpc.faults;
  }

  notify(method: string, params: JsonObject): Promise<void> {
    return this.#rpc.notify(method, params);
  }

  supportsNewerProtocol(signal: AbortSignal): Promise<boolean> {
    return this.#rpc.speaksNewer(signal);
  }

  async close(): Promise<void> {
    this.#subscription.close();
    await this.#rpc.close().catch(() => {});
  }
}

/** Methods of the SDK's clients that describe the server, from version 1 on. */
interface ConnectedClient {
  getServerVersion(): { readonly name?: string; readonly version?: string } | undefined;
  getServerCapabilities(): object | undefined;
  getInstructions(): string | undefined;
}

/** Returns the identity that the server has reported to a client. */
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
