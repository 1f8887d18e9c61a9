import { Agent, buildConnector } from "undici";
import type { Reach } from "./client-state.ts";
import { guardedConnector } from "./guarded-connector.ts";
import type { TlsIdentity } from "./tls-identity.ts";

type Agents = Map<Reach, Agent>;

const agents: Agents = new Map();
const agentsByIdentity = new WeakMap<TlsIdentity, Agents>();

/**
 * The process's connections, a pool per origin. One agent per reach: a socket that was opened for a host's own
 * origin never serves a request that may only reach public addresses. And one per identity: nor does a socket that
 * has shown a certificate serve a request without it.
 */
export function agentFor(reach: Reach, identity?: TlsIdentity): Agent {
  const ofIdentity = identity === undefined ? agents : agentsOf(identity);
  let agent = ofIdentity.get(reach);
  if (agent === undefined) {
    agent = new Agent({
      connect: guardedConnector(reach, { build: buildConnector, identity }),
      allowH2: false,
      connections: 128,
      // undici's are idle timers, restarted by every byte; each request has a deadline of its own.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    ofIdentity.set(reach, agent);
  }
  return agent;
}

function agentsOf(identity: TlsIdentity): Agents {
  let found = agentsByIdentity.get(identity);
  if (found === undefined) {
    found = new Map();
    agentsByIdentity.set(identity, found);
  }
  return found;
}
