import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { rolldown, type Plugin } from "rolldown";

/** Programs that start in a fraction of the time that their hundreds of modules take. */
export interface Bundle {
  readonly worker: string;
  readonly effectLog: string;
  remove(): void;
}

const sources = join(import.meta.dirname, "..");

/**
 * Bundles a worker and the effect log.
 *
 * @param worker the source of the worker, in this folder's parent.
 * @param plugins can replace packages by those of another version.
 */
export async function bundlePrograms(
  worker = "worker/worker.ts",
  plugins: readonly Plugin[] = [],
): Promise<Bundle> {
  const folder = mkdtempSync(join(tmpdir(), "toolweave-chaos-"));
  const build = await rolldown({
    input: {
      worker: join(sources, worker),
      "effect-log": join(sources, "effect-log/server.ts"),
    },
    platform: "node",
    external: ["pg-native"],
    resolve: { conditionNames: ["@toolweave/source", "node"] },
    plugins: [...plugins],
    logLevel: "silent",
  });
  await build.write({
    dir: folder,
    format: "esm",
    entryFileNames: "[name].mjs",
    chunkFileNames: "[name]-[hash].mjs",
  });
  await build.close();
  return {
    worker: join(folder, "worker.mjs"),
    effectLog: join(folder, "effect-log.mjs"),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
