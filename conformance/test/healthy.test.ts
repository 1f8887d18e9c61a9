import { expect, test } from "vitest";
import { alarmsOf } from "./alarms-of.ts";
import { sourceManifest, toolsManifest } from "./fixtures/index.ts";

// The corpus tests go on to 200.
const seeds = Array.from({ length: 5 }, (_, index) => 1 + index);

test.each([toolsManifest(), sourceManifest()])(
  "five seeds give no false alarm: $name",
  { timeout: 120_000 },
  async (manifest) => {
    expect(await alarmsOf(manifest, seeds)).toEqual([]);
  },
);
