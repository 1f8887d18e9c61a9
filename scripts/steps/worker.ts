import { join } from "node:path";
import { build } from "esbuild";
import type { Step } from "../lib/step.ts";
import { problemsResult } from "../lib/step.ts";

/** Core's main entry in a bundle for a worker, where no node: module exists. */
export const workerStep: Step = {
  name: "worker",
  summary: "core's main entry bundles for a worker, with no import left and no node: module",
  needs: ["build"],
  async run({ root }) {
    const result = await build({
      absWorkingDir: root,
      entryPoints: [join(root, "packages/core/dist/index.js")],
      bundle: true,
      write: false,
      metafile: true,
      format: "esm",
      // A browser build, unlike a neutral one, reads the `main` of older packages.
      platform: "browser",
      conditions: ["workerd", "worker"],
      logLevel: "silent",
    }).catch((error: unknown) => error);
    if (result instanceof Error) return { ok: false, output: result.message };
    const { outputs } = (
      result as {
        metafile: { outputs: Record<string, { bytes: number; imports: { path: string }[] }> };
      }
    ).metafile;
    const imports = Object.values(outputs).flatMap((output) => output.imports);
    const bytes = Object.values(outputs).reduce((sum, output) => sum + output.bytes, 0);
    const problems = imports.map(({ path }) => `core's bundle still imports ${path}`);
    return problemsResult(problems, `${(bytes / 1000).toFixed(0)} kB unminified`);
  },
};
