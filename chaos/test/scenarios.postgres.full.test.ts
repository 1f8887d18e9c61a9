import { expect, inject, test } from "vitest";
import { scenarios } from "../src/scenarios/all.ts";

const postgresUrl = inject("postgresUrl");

for (const scenario of scenarios) {
  const missing = postgresUrl === undefined ? "there is no PostgreSQL" : scenario.missing?.();
  const reason = missing === undefined ? "" : ` (skipped: ${missing})`;
  test.skipIf(missing !== undefined)(
    `${scenario.id} breaks no invariant: ${scenario.summary}${reason}`,
    async ({ signal }) => {
      const result = await scenario.run({
        seed: 2,
        end: {
          operations: 60,
          faults: scenario.id === "O1" || scenario.id === "approvals" ? 0 : 2,
        },
        signal,
        ...(postgresUrl === undefined ? {} : { postgresUrl }),
      });
      expect(result.violations).toEqual([]);
      expect(result.operations).toBeGreaterThanOrEqual(60);
    },
  );
}
