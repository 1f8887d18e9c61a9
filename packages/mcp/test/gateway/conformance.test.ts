import { expect, it } from "vitest";
import { serverResults } from "../../conformance-suite/server-results.ts";

it.each([
  ["2025-11-25", 30],
  ["2026-07-28", 37],
])(
  "the gateway passes the official suite's server scenarios of %s",
  { timeout: 120_000 },
  async (revision, scenarios) => {
    const { passed, failed } = await serverResults(revision);
    expect(failed).toEqual([]);
    expect(passed).toHaveLength(scenarios);
  },
);
