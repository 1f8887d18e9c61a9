import { expect, it } from "vitest";
import { serverResults } from "../../../conformance-suite/server-results.ts";
import { suiteCluster } from "../../support/replicas/cluster.ts";

it.each([
  ["2025-11-25", 30],
  ["2026-07-28", 37],
])(
  "three gateways behind a load balancer pass the official suite's server scenarios of %s",
  { timeout: 120_000 },
  async (revision, scenarios) => {
    const { passed, failed } = await serverResults(revision, async () => {
      const { balancer, close } = await suiteCluster();
      return { url: balancer.url, close };
    });
    expect(failed).toEqual([]);
    expect(passed).toHaveLength(scenarios);
  },
);
