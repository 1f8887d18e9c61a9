import { join } from "node:path";
import { rolldown } from "rolldown";
import type { Step } from "../lib/step.ts";
import { problemsResult } from "../lib/step.ts";

/** Core's main entry in a bundle for a worker, where no node: module exists. */
export const workerStep: Step = {
  name: "worker",
  summary: "core's main entry bundles for a worker, with no import left and no node: module",
  needs: ["build"],
  async run({ root }) {
    const bundle = await rolldown({
      input: join(root, "packages/core/dist/index.js"),
      // A browser build, unlike a neutral one, reads the `main` of older packages.
      platform: "browser",
      resolve: { conditionNames: ["workerd", "worker", "browser", "import", "default"] },
      logLevel: "silent",
    });
    const { output } = await bundle.generate({ format: "esm" });
    await bundle.close();
    const chunks = output.filter((file) => file.type === "chunk");
    const own = new Set(chunks.map(({ fileName }) => fileName));
    const imports = chunks
      .flatMap(({ imports: statics, dynamicImports }) => [...statics, ...dynamicImports])
      .filter((path) => !own.has(path));
    const bytes = chunks.reduce((sum, { code }) => sum + Buffer.byteLength(code), 0);
    const problems = imports.map((path) => `core's bundle still imports ${path}`);
    return problemsResult(problems, `${(bytes / 1000).toFixed(0)} kB unminified`);
  },
};
