import { expect, test } from "vitest";
import { runConformance, type ConformanceReport, type Manifest } from "../src/index.ts";
import { sourceManifest, toolsManifest } from "./fixtures/index.ts";

function red({ seed, rules }: ConformanceReport): unknown[] {
  return rules
    .filter(({ status }) => status === "failed")
    .map(({ id, message, seen }) => ({ seed, id, message, seen }));
}

const healthy: readonly Manifest[] = [toolsManifest(), sourceManifest()];

test.each(healthy)(
  "50 seeds give no false alarm: $name",
  { timeout: 120_000 },
  async (manifest) => {
    const alarms: unknown[] = [];
    for (let seed = 1; seed <= 50; seed++) {
      alarms.push(...red(await runConformance(manifest, { seed })));
    }
    expect(alarms).toEqual([]);
  },
);
