import { agentsOnBullmq, agentsOnDbos, agentsOnRestate } from "./agents.ts";
import { faultyBucket } from "./bucket.ts";
import { wrongClocks } from "./clocks.ts";
import { crashedDatabase, stoppedDatabase } from "./database.ts";
import { asynchronousFailover, synchronousFailover } from "./failover.ts";
import { killedGateways } from "./gateways.ts";
import { approvals, brokenNetwork, pooledConnections } from "./network.ts";
import type { Scenario } from "./scenario.ts";
import { sharedSignIn } from "./sign-ins.ts";
import { exhaustedDatabase } from "./storage.ts";
import { rollingUpgrade } from "./upgrade.ts";
import { killedWorkers, stoppedWorkers } from "./workers.ts";

/** Every scenario, in the order in which they are run. */
export const scenarios: readonly Scenario[] = [
  killedWorkers,
  stoppedWorkers,
  crashedDatabase,
  stoppedDatabase,
  exhaustedDatabase,
  brokenNetwork,
  wrongClocks,
  synchronousFailover,
  asynchronousFailover,
  pooledConnections,
  rollingUpgrade,
  sharedSignIn,
  faultyBucket,
  approvals,
  killedGateways,
  agentsOnDbos,
  agentsOnRestate,
  agentsOnBullmq,
];
