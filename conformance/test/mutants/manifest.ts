import type { Mutant } from "./mutant.ts";
import { sourceManifest, toolsManifest } from "../fixtures/index.ts";

export const manifestMutants: readonly Mutant[] = [
  {
    rule: "TW-MANIFEST-001",
    what: "slow calls that are not declared",
    manifest: () => {
      const manifest = toolsManifest();
      const { slowCalls: _, ...samples } = manifest.samples ?? {};
      return { ...manifest, samples };
    },
  },
  {
    rule: "TW-MANIFEST-001",
    what: "a source whose changes are omitted",
    manifest: () => {
      const { change: _, ...manifest } = sourceManifest();
      return manifest;
    },
  },
];
