import { describe } from "vitest";
import { describeArtifacts } from "./artifacts.ts";
import { describeAudit } from "./audit.ts";
import { describeCredentials } from "./credentials.ts";
import { describeGrants } from "./grants.ts";
import { describeLedger } from "./ledger.ts";
import { describeLists } from "./lists.ts";
import { describeMemory } from "./memory.ts";
import { describePendingCalls } from "./pending-calls.ts";
import { describeRateLimits } from "./rate-limits.ts";
import { describeSchedules } from "./schedules.ts";
import type { StoreFactory, StorePort, StoreTraits } from "./store-under-test.ts";
import { describeTasks } from "./tasks.ts";

/** Registers the tests of one port. */
type DescribePort = (make: StoreFactory, traits: Required<Omit<StoreTraits, "ports">>) => void;

const parts: Readonly<Record<StorePort, DescribePort>> = {
  pendingCalls: describePendingCalls,
  grants: describeGrants,
  rateLimits: describeRateLimits,
  tasks: describeTasks,
  ledger: describeLedger,
  artifacts: describeArtifacts,
  credentials: describeCredentials,
  schedules: describeSchedules,
  memory: describeMemory,
  lists: describeLists,
  audit: describeAudit,
};

/**
 * Registers the tests of a store with vitest: one group for each port, and in it one test for each rule that an executor
 * relies on.
 *
 * @param make creates a new and empty store for every test.
 * @param traits the ports that it has, and how it differs from a store that processes share.
 */
export function describeStore(name: string, make: StoreFactory, traits: StoreTraits = {}): void {
  const {
    ports = Object.keys(parts) as StorePort[],
    isShared = true,
    whenFull = "refuse",
  } = traits;
  describe(`store ${name}`, () => {
    for (const port of ports) {
      describe(`${port}`, () => {
        parts[port](make, { isShared, whenFull });
      });
    }
  });
}
