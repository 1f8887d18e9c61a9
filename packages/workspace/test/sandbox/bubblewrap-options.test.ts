import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { BubblewrapSandbox } from "../../src/sandbox/bubblewrap.ts";
import type { SandboxView } from "../../src/sandbox/sandbox.ts";

/** The folders that a sandbox of this view mounts, in their order: `rw` or `ro`, and the path. */
async function readMounts(view: SandboxView): Promise<readonly string[]> {
  const sandbox = new BubblewrapSandbox({ program: "/usr/bin/bwrap", view: () => view });
  onTestFinished(() => sandbox.close());
  const prepared = sandbox.prepare({ argv: ["true"], cwd: "/ws", env: {} });
  const pipe = new PassThrough();
  prepared.onSpawn?.([pipe]);
  const options = (await text(pipe)).split("\0");
  prepared.close();
  return options.flatMap((option, at) => {
    const path = options[at + 2] ?? "";
    if (!/^--(?:ro-)?bind/.test(option) || !path.startsWith("/ws")) return [];
    return [`${option.startsWith("--ro") ? "ro" : "rw"} ${path}`];
  });
}

test("the folders around protected files are mount points, which cannot be renamed, below those around them", async () => {
  const mounts = await readMounts({
    roots: [
      { path: "/ws/vendor", access: "read" },
      { path: "/ws", access: "write" },
    ],
    protectedPaths: ["/ws/.git/hooks", "/ws/.npmrc", "/ws/a/b/.vscode", "/ws/vendor/x/.idea"],
    hiddenPaths: [],
    readPaths: [],
  });
  expect(mounts).toEqual([
    "rw /ws",
    "rw /ws/a",
    "rw /ws/a/b",
    "rw /ws/.git",
    "ro /ws/vendor",
    "ro /ws/.git/hooks",
    "ro /ws/.npmrc",
    "ro /ws/a/b/.vscode",
    "ro /ws/vendor/x/.idea",
  ]);
});
