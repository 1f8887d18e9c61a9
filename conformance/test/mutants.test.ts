import { expect, test } from "vitest";
import { isFullRun } from "@toolweave/test-support";
import { runConformance } from "../src/index.ts";
import { mutants } from "./mutants/index.ts";

// A quick run checks the rule and what it presupposes; a full run that no other rule of all fails. There the deadline
// is the default one: a shorter deadline fails other rules as well when the machine is busy.
test.concurrent.each(mutants)(
  "$what breaks $rule and no other rule",
  async ({ rule, manifest, hangs = false, after = [] }) => {
    const { rules } = await runConformance(manifest(), {
      seed: 1,
      ...(isFullRun ? {} : { only: [rule, ...after] }),
      ...(hangs && !isFullRun ? { deadlineMs: 1000 } : {}),
    });
    const failed = rules.filter(({ status }) => status === "failed");
    expect(failed.map(({ id }) => id)).toEqual([rule]);
  },
);
