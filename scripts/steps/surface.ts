import { existsSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { inspectSurface } from "../lib/public-surface.ts";
import type { Step } from "../lib/step.ts";
import { problemsResult } from "../lib/step.ts";
import { publicEntries, workspacePackages } from "../lib/workspace.ts";

/** The public API, as the emitted declarations tell it. */
export const surfaceStep: Step = {
  name: "surface",
  summary:
    "the emitted declarations: no `any`, no default export, a docstring for every public name",
  needs: ["build"],
  async run({ root, temp }) {
    const realRoot = realpathSync(root);
    const folders = workspacePackages(realRoot)
      .filter(({ publishable }) => publishable)
      .map(({ folder }) => join(realRoot, folder, "dist"));
    const all = publicEntries(realRoot);
    const missing = all
      .filter(({ declarations }) => !existsSync(declarations))
      .map(({ name, declarations }) => `${name}: its declarations do not exist: ${declarations}`);
    const entries = all.map(({ declarations }) => declarations).filter((path) => existsSync(path));
    const { problems, names } = inspectSurface({ root: realRoot, folders, entries }, temp);
    return problemsResult([...missing, ...problems], `${names} names`);
  },
};
