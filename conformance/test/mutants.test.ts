import { afterAll, expect, test } from "vitest";
import { isFullRun } from "@toolweave/test-support";
import { runConformance } from "../src/index.ts";
import { mutants } from "./mutants/index.ts";
import { removeLogs } from "./mutants/orphan.ts";

afterAll(removeLogs);

// A quick run has one of four, and checks the rule and what it presupposes; a full run that no other rule of all fails.
// For that it has a longer deadline: with a short one, other rules fail as well when the machine is busy.
test.concurrent.each(mutants.filter((_, index) => isFullRun || index % 4 === 0))(
  "$what breaks $rule and no other rule",
  async ({ rule, manifest, hangs = false, after = [] }) => {
    const { rules } = await runConformance(manifest(), {
      seed: 1,
      ...(isFullRun ? {} : { only: [rule, ...after] }),
      ...(hangs ? { deadlineMs: isFullRun ? 3000 : 1000 } : {}),
    });
    const failed = rules.filter(({ status }) => status === "failed");
    expect(failed.map(({ id }) => id)).toEqual([rule]);
  },
);
