import { createRequire } from "node:module";

/** The name of this package. */
export const kitName = "@toolweave/conformance";

/** The version of this package. */
export function kitVersion(): string {
  // By name: where this file lies differs between the sources and a build.
  const manifest = createRequire(import.meta.url)(`${kitName}/package.json`) as { version: string };
  return manifest.version;
}
