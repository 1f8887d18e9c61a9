import { join } from "node:path";
import { problemsResult, type Step } from "../lib/step.ts";

/** The first load of the page of Studio, after gzip. */
export const studioSizeStep: Step = {
  name: "studio-size",
  summary:
    "the page of Studio: the first load and all files stay below the limits of first-load.ts",
  needs: ["build"],
  async run({ root }) {
    const { firstLoad, firstLoadLimits } =
      await import("../../apps/studio/src/page-files/first-load.ts");
    const sizes = firstLoad(join(root, "apps/studio/dist/page"));
    const kinds = Object.keys(firstLoadLimits) as (keyof typeof sizes)[];
    const problems = kinds
      .filter((kind) => sizes[kind] > firstLoadLimits[kind])
      .map(
        (kind) => `${kind}: ${sizes[kind]} bytes after gzip, more than ${firstLoadLimits[kind]}`,
      );
    const note = kinds.map((kind) => `${kind} ${(sizes[kind] / 1000).toFixed(1)} kB`).join(", ");
    return problemsResult(problems, note);
  },
};
