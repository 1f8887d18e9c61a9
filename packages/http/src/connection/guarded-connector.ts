import { lookup as systemLookup } from "node:dns";
import { isIP, type LookupFunction } from "node:net";
import type { buildConnector } from "undici";
import { addressKind, isMetadataHost, type AddressKind } from "../address/address-kind.ts";
import type { Reach } from "../address/origin.ts";
import { watchSocket } from "./stale-socket.ts";
import type { TlsIdentity } from "./tls-identity.ts";

/** Why the connector did not connect. The request that asked turns it into a `ToolError`. */
export class AddressRefused extends Error {
  override readonly name: string = "AddressRefused";
  readonly kind: AddressKind;
  /** The host was written as an address (or as `localhost`), so its kind discloses nothing. */
  readonly literal: boolean;

  constructor(kind: AddressKind, literal: boolean) {
    super(`refused to connect to a ${kind} address`);
    this.kind = kind;
    this.literal = literal;
  }
}

/** Parts of the connector, replaceable in tests. */
export interface ConnectorParts {
  readonly build: (options: buildConnector.BuildOptions) => buildConnector.connector;
  readonly lookup?: LookupFunction;
  readonly kindOf?: (address: string) => AddressKind | undefined;
  readonly identity?: TlsIdentity | undefined;
}

const connectTimeoutMs = 10_000;

/**
 * A connector that checks the IP literal, every answer of the name resolution that it then dials (so a
 * second answer cannot differ), and the peer it ended up with.
 */
export function guardedConnector(reach: Reach, parts: ConnectorParts): buildConnector.connector {
  const { build, lookup = systemLookup as LookupFunction, kindOf = addressKind, identity } = parts;

  const refusal = (hostname: string, address: string): AddressRefused | undefined => {
    const kind = kindOf(address);
    if (kind === undefined) return undefined;
    if (reach !== "public" && kind !== "cloud metadata") return undefined;
    if (reach === "allowed" && isMetadataHost(hostname)) return undefined;
    return new AddressRefused(kind, isIP(hostname) !== 0 || isLocalhost(hostname));
  };

  const connect = build({
    // One protocol, one meaning of "close the socket"; HTTP/2 would share it between requests.
    allowH2: false,
    timeout: connectTimeoutMs,
    ...identity,
    lookup: (hostname, options, callback) => {
      lookup(hostname, { ...options, all: true }, (error, addresses) => {
        if (error) return callback(error, []);
        const answers = addresses as unknown as { address: string; family: number }[];
        for (const { address } of answers) {
          const refused = refusal(hostname, address);
          if (refused) return callback(refused, []);
        }
        if (options.all) return callback(null, answers);
        const first = answers[0];
        return first ? callback(null, first.address, first.family) : callback(null, []);
      });
    },
  });

  // Returns the connecting socket so that the caller can destroy it; undici's types do not declare this.
  return (options, callback) => {
    const { hostname } = options;
    const refused =
      isIP(hostname) === 0 ? refusedName(hostname, reach) : refusal(hostname, hostname);
    if (refused) return callback(refused, null as never);
    return connect(options, (...outcome) => {
      const [error, socket] = outcome;
      if (error !== null) return callback(error, null as never);
      const { remoteAddress } = socket;
      // Without a remote address the socket is closed already, and undici says so.
      const peer = remoteAddress === undefined ? undefined : refusal(hostname, remoteAddress);
      if (peer === undefined) {
        watchSocket(socket);
        return callback(null, socket);
      }
      socket.on("error", () => undefined).destroy();
      return callback(peer, null as never);
    });
  };
}

/** Refuses host names whose meaning is known without name resolution. */
function refusedName(hostname: string, reach: Reach): AddressRefused | undefined {
  if (reach === "public" && isLocalhost(hostname)) return new AddressRefused("loopback", true);
  if (reach !== "allowed" && isMetadataHost(hostname)) {
    return new AddressRefused("cloud metadata", true);
  }
  return undefined;
}

// RFC 6761, section 6.3: all names under it are loopback.
function isLocalhost(hostname: string): boolean {
  return /(?:^|\.)localhost\.?$/i.test(hostname);
}
