import { Agent, buildConnector, Pool } from "undici";
import type { Reach } from "../address/origin.ts";
import { ConnectingClient } from "./connecting-client.ts";
import { guardedConnector } from "./guarded-connector.ts";
import type { TlsIdentity } from "./tls-identity.ts";

type Agents = Map<Reach, { readonly queued: Agent; readonly unqueued: Agent }>;

/** Maximum number of connections to one origin; further requests wait for a free one. */
const maxConnections = 128;

const agents: Agents = new Map();
const agentsByIdentity = new WeakMap<TlsIdentity, Agents>();

/**
 * Returns the agent whose connection pools a request uses; the pools belong to the process, one for each origin. There
 * is one agent for each reach, so that a socket that was opened for a host's own origin never serves a request that may
 * only reach public addresses. There is one for each identity, so that a socket that presented a certificate never
 * serves a request without it. Unqueued requests (`HttpRequest.unqueued`) have connections of their own, without a
 * limit.
 */
export function getAgent(reach: Reach, identity?: TlsIdentity, unqueued = false): Agent {
  const ofIdentity = identity === undefined ? agents : agentsForIdentity(identity);
  let pair = ofIdentity.get(reach);
  if (pair === undefined) {
    const connect = guardedConnector(reach, { build: buildConnector, identity });
    // undici's timeouts are idle timers, restarted by every byte; each request has a deadline of its own.
    const options = {
      connect,
      factory: createPool,
      allowH2: false,
      headersTimeout: 0,
      bodyTimeout: 0,
    };
    pair = {
      queued: new Agent({ ...options, connections: maxConnections }),
      unqueued: new Agent(options),
    };
    ofIdentity.set(reach, pair);
  }
  return unqueued ? pair.unqueued : pair.queued;
}

function createPool(origin: string | URL, options: object): Pool {
  const factory = (to: URL, of: object): ConnectingClient =>
    new ConnectingClient(to, of as ConstructorParameters<typeof ConnectingClient>[1]);
  return new Pool(origin, { ...options, factory });
}

function agentsForIdentity(identity: TlsIdentity): Agents {
  let found = agentsByIdentity.get(identity);
  if (found === undefined) {
    found = new Map();
    agentsByIdentity.set(identity, found);
  }
  return found;
}
