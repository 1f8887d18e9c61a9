import { expect, it } from "vitest";
import { clientResults } from "../conformance-suite/client-results.ts";

// The official conformance suite of MCP, as far as a revision requires it of clients.
it.each([
  ["2025-11-25", 18],
  ["2026-07-28", 32],
])(
  "the official suite finds nothing wrong with our client at %s",
  async (revision, scenarios) => {
    const { passed, failed } = await clientResults(revision);
    expect(failed).toEqual([]);
    expect(passed).toHaveLength(scenarios);
  },
  300_000,
);
