import { join } from "node:path";
import { build } from "vite";

/** The folder of this package. */
const packageFolder = join(import.meta.dirname, "../..");

/** Builds the page for production into `outDir`, an absolute path, which is emptied first. */
export async function buildPage(outDir: string): Promise<void> {
  await build({
    root: packageFolder,
    configFile: join(packageFolder, "vite.config.ts"),
    logLevel: "warn",
    build: { outDir },
  });
}
