import { expect, test } from "vitest";
import { inFullRun } from "@toolweave/test-support";
import { findFalsePositives } from "../support/find-false-positives.ts";
import { sourceManifest, toolsManifest } from "../fixtures/index.ts";

// The corpus tests of a full run have 200.
const seeds = Array.from({ length: inFullRun(5, 1) }, (_, index) => 1 + index);

test.each([toolsManifest(), sourceManifest()])(
  "no seed causes a false positive: $name",
  { timeout: 120_000 },
  async (manifest) => {
    expect(await findFalsePositives(manifest, seeds)).toEqual([]);
  },
);
