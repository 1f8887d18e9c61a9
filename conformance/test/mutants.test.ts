import { expect, test } from "vitest";
import { isFullRun } from "@toolweave/test-support";
import { runConformance } from "../src/index.ts";
import { mutants } from "./mutants/index.ts";

// A quick run checks the rule and the rules that it builds on; a full run that no other rule of all
// fails.
test.concurrent.each(mutants)(
  "$what breaks $rule and no other rule",
  { timeout: 300_000 },
  async ({ rule, manifest, hangs = false, after = [] }) => {
    const { rules } = await runConformance(manifest(), {
      seed: 1,
      ...(isFullRun ? {} : { only: [rule, ...after] }),
      ...(hangs ? { deadlineMs: 1000 } : {}),
    });
    const failed = rules.filter(({ status }) => status === "failed");
    expect(failed.map(({ id }) => id)).toEqual([rule]);
  },
);
