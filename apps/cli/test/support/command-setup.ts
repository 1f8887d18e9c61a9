import { execFile } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

const root = join(import.meta.dirname, "../../../..");

/** Builds the command with the page of Studio, once for all tests of a full run: pictures are taken of it. */
export async function setup(): Promise<void> {
  const turbo = createRequire(join(root, "package.json")).resolve("turbo/package.json");
  const build = [join(dirname(turbo), "bin/turbo"), "run", "build", "--filter=toolweave..."];
  await promisify(execFile)(process.execPath, build, { cwd: root });
}
