import { lookup as systemLookup } from "node:dns";
import { isIP, type LookupFunction, type Socket } from "node:net";
import type { buildConnector } from "undici";
import { addressKind, isMetadataHost, type AddressKind } from "../address/address-kind.ts";
import type { Reach } from "../address/origin.ts";
import type { TlsIdentity } from "./tls-identity.ts";

/** The connector's reason for not connecting. The request turns it into a `ToolError`. */
export class AddressRefused extends Error {
  override readonly name: string = "AddressRefused";
  readonly kind: AddressKind;
  /** The host was written as an address (or as `localhost`), so that its kind discloses nothing. */
  readonly literal: boolean;

  constructor(kind: AddressKind, literal: boolean) {
    super(`refused to connect to a ${kind} address`);
    this.kind = kind;
    this.literal = literal;
  }
}

/** Parts of the connector that tests replace. */
export interface ConnectorParts {
  readonly build: (options: buildConnector.BuildOptions) => buildConnector.connector;
  readonly lookup?: LookupFunction;
  readonly toAddressKind?: (address: string) => AddressKind | undefined;
  readonly identity?: TlsIdentity | undefined;
}

const connectTimeoutMs = 10_000;

/**
 * Creates a connector that checks the IP literal, every resolved address that it then dials (so that a second name
 * resolution cannot differ), and the peer of the established connection.
 */
export function guardedConnector(reach: Reach, parts: ConnectorParts): buildConnector.connector {
  const {
    build,
    lookup = systemLookup as LookupFunction,
    toAddressKind = addressKind,
    identity,
  } = parts;

  const refusal = (hostname: string, address: string): AddressRefused | undefined => {
    const kind = toAddressKind(address);
    if (kind === undefined) return undefined;
    if (reach !== "public" && kind !== "cloud metadata") return undefined;
    if (reach === "allowed" && isMetadataHost(hostname)) return undefined;
    return new AddressRefused(kind, isIP(hostname) !== 0 || isLocalhost(hostname));
  };

  const connect = build({
    // HTTP/1.1 only: HTTP/2 would share the socket between requests, and closing it would end them all.
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
      // Without a remote address the socket is already closed, and undici reports that.
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

/** Refuses host names that are known without name resolution to be loopback or metadata hosts. */
function refusedName(hostname: string, reach: Reach): AddressRefused | undefined {
  if (reach === "public" && isLocalhost(hostname)) return new AddressRefused("loopback", true);
  if (reach !== "allowed" && isMetadataHost(hostname)) {
    return new AddressRefused("cloud metadata", true);
  }
  return undefined;
}

// RFC 6761, section 6.3: all names below `localhost` are loopback.
function isLocalhost(hostname: string): boolean {
  return /(?:^|\.)localhost\.?$/i.test(hostname);
}

/** Methods whose requests may be sent again: RFC 9110, section 9.2.2; QUERY: RFC 10008, section 2. */
export const idempotentMethods: ReadonlySet<string> = new Set([
  "GET",
  "HEAD",
  "OPTIONS",
  "TRACE",
  "PUT",
  "DELETE",
  "QUERY",
]);

let lastMoment = 0;

/** The moment at which the socket of an error was opened, by the error. */
const openedAt = new WeakMap<object, number>();

/** Returns the next moment: a number that is larger than those of all earlier events. */
export function moment(): number {
  return ++lastMoment;
}

/** Records, for the errors of a socket, that the socket was opened now. */
function watchSocket(socket: Socket): void {
  const opened = moment();
  socket.on("error", (error) => openedAt.set(error, opened));
}

/**
 * Returns true for an error of a socket that was open before `sent`: the server may have closed it while the request
 * was on its way. RFC 9110, section 9.2.2, lets a client repeat idempotent requests then.
 */
export function isStale(error: Error, sent: number): boolean {
  const opened = openedAt.get(error);
  return opened !== undefined && opened < sent;
}
