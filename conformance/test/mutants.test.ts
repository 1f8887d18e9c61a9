import { expect, test } from "vitest";
import { runConformance } from "../src/index.ts";
import { mutants } from "./mutants/index.ts";

test.concurrent.each(mutants)(
  "$what breaks $rule and no other rule",
  { timeout: 60_000 },
  async ({ rule, manifest, hangs = false }) => {
    const { rules } = await runConformance(manifest(), {
      seed: 1,
      ...(hangs ? { deadlineMs: 1000 } : {}),
    });
    const failed = rules.filter(({ status }) => status === "failed");
    expect(failed.map(({ id }) => id)).toEqual([rule]);
  },
);
