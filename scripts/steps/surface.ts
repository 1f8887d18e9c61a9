import { existsSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { inspectSurface } from "../lib/public-surface.ts";
import type { Step } from "../lib/step.ts";
import { problemsResult } from "../lib/step.ts";
import { workspacePackages } from "../lib/workspace.ts";

/** The public API, as the emitted declarations tell it. */
export const surfaceStep: Step = {
  name: "surface",
  summary:
    "the emitted declarations: no `any`, no default export, a docstring for every public name",
  needs: ["build"],
  async run({ root, temp }) {
    const realRoot = realpathSync(root);
    const packages = workspacePackages(realRoot).filter((entry) => entry.publishable);
    const missing: string[] = [];
    const entries: string[] = [];
    for (const { folder, manifest } of packages) {
      for (const [key, target] of Object.entries(manifest.exports ?? {})) {
        const types = typeof target === "string" ? undefined : target["types"];
        if (types === undefined) continue;
        const path = join(realRoot, folder, types);
        if (existsSync(path)) entries.push(path);
        else missing.push(`${folder}/package.json: the types of "${key}" do not exist: ${types}`);
      }
    }
    const folders = packages.map((entry) => join(realRoot, entry.folder, "dist"));
    const { problems, names } = inspectSurface({ root: realRoot, folders, entries }, temp);
    return problemsResult([...missing, ...problems], `${names} names`);
  },
};
