import { join } from "node:path";
import { build } from "vite";

/** The folder of this package. */
const packageFolder = join(import.meta.dirname, "../..");

/** Builds the page for production into `outDir`, an absolute path, which is emptied first. */
export async function buildPage(outDir: string): Promise<void> {
  // Test runners set another environment, with which JSX is compiled for development.
  const environment = process.env["NODE_ENV"];
  process.env["NODE_ENV"] = "production";
  try {
    await build({
      root: packageFolder,
      configFile: join(packageFolder, "vite.config.ts"),
      mode: "production",
      logLevel: "error",
      build: { outDir },
    });
  } finally {
    if (environment === undefined) delete process.env["NODE_ENV"];
    else process.env["NODE_ENV"] = environment;
  }
}
