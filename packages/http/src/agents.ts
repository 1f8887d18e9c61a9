import { Agent, buildConnector } from "undici";
import type { Reach } from "./client-state.ts";
import { guardedConnector } from "./guarded-connector.ts";

const agents = new Map<Reach, Agent>();

/**
 * The process's connections, a pool per origin. One agent per reach: a socket that was opened for a host's own
 * origin never serves a request that may only reach public addresses.
 */
export function agentFor(reach: Reach): Agent {
  let agent = agents.get(reach);
  if (agent === undefined) {
    agent = new Agent({
      connect: guardedConnector(reach, { build: buildConnector }),
      allowH2: false,
      connections: 128,
      // undici's are idle timers, restarted by every byte; each request has a deadline of its own.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    agents.set(reach, agent);
  }
  return agent;
}
