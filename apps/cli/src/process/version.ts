import { createRequire } from "node:module";

/** The version of this package. */
export function version(): string {
  // By name: where this file lies differs between the sources and a build.
  const manifest = createRequire(import.meta.url)("toolweave/package.json") as { version: string };
  return manifest.version;
}
