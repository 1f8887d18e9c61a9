import {
  memoryArtifacts,
  memoryCredentials,
  memoryGrants,
  memoryLedger,
  memoryPendingCalls,
  memoryRateLimits,
  memoryTasks,
} from "@toolweave/core/stores";
import { describeStore, FakeClock } from "../src/stores.ts";

describeStore(
  "in memory",
  ({ maxPerOwner, maxArtifactBytes, maxArtifactBytesPerOwner = maxArtifactBytes }) => {
    const clock = new FakeClock();
    const quota = maxPerOwner === undefined ? {} : { maxPerOwner };
    return {
      clock,
      open: () => ({
        pendingCalls: memoryPendingCalls(clock, quota),
        grants: memoryGrants(),
        rateLimits: memoryRateLimits(clock),
        tasks: memoryTasks(clock, quota),
        ledger: memoryLedger(clock),
        artifacts: memoryArtifacts({
          clock,
          ...(maxArtifactBytes === undefined ? {} : { maxBytes: maxArtifactBytes }),
          ...(maxArtifactBytesPerOwner === undefined
            ? {}
            : { maxBytesPerOwner: maxArtifactBytesPerOwner }),
        }),
        credentials: memoryCredentials(),
      }),
    };
  },
  {
    ports: ["pendingCalls", "grants", "rateLimits", "tasks", "ledger", "artifacts", "credentials"],
    isShared: false,
    whenFull: "drop-oldest",
  },
);
