import { expect, test } from "vitest";
import { inFullRun } from "@toolweave/test-support";
import { findFalsePositives } from "../test/support/find-false-positives.ts";
import { sourceManifest, toolsManifest } from "../test/fixtures/index.ts";

const seeds = Array.from({ length: inFullRun(40, 3) }, (_, index) => 1000 + index);

test.concurrent.each([toolsManifest(), sourceManifest()])(
  `${seeds.length} seeds give no false positive: $name`,
  { timeout: 1_200_000 },
  async (manifest) => {
    expect(await findFalsePositives(manifest, seeds)).toEqual([]);
  },
);
