import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { rolldown, type Plugin } from "rolldown";

/** Programs that start in a fraction of the time that their hundreds of modules take. */
export interface Bundle {
  readonly worker: string;
  readonly effectLog: string;
  readonly gateway: string;
  remove(): void;
}

const sources = join(import.meta.dirname, "..");

/** Bundles the worker, the gateway and the effect log. A plugin can replace packages by those of another version. */
export async function bundlePrograms(plugins: readonly Plugin[] = []): Promise<Bundle> {
  const folder = mkdtempSync(join(tmpdir(), "toolweave-chaos-"));
  const build = await rolldown({
    input: {
      worker: join(sources, "worker/worker.ts"),
      gateway: join(sources, "worker/gateway.ts"),
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
    gateway: join(folder, "gateway.mjs"),
    effectLog: join(folder, "effect-log.mjs"),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
