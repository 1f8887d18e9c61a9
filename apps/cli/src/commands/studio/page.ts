import { createRequire } from "node:module";
import { dirname, join } from "node:path";

/**
 * The folder of the page in this package. The build of the package makes it; in the repository, `pnpm build` does.
 */
export function getPageFolder(): string {
  // By name: where this file lies differs between the sources and a build.
  const manifest = createRequire(import.meta.url).resolve("toolweave/package.json");
  return join(dirname(manifest), "dist/page");
}
