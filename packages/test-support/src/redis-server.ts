import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort, startProgram, type TestServer } from "./postgres-server.ts";

/** Whether `redis-server` is installed. */
export function hasRedis(): boolean {
  return spawnSync("redis-server", ["--version"]).status === 0;
}

/**
 * Starts a Redis on loopback, with an empty store in memory.
 *
 * @throws Error if it is not installed.
 */
export async function startRedis(): Promise<TestServer> {
  const folder = mkdtempSync(join(tmpdir(), "toolweave-redis-"));
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  const port = await freePort();
  // It prints its lines to the standard output.
  const command = ["/bin/sh", "-c", 'exec "$@" 1>&2', "sh", "redis-server"];
  try {
    const { end } = await startProgram([...command, "--port", String(port), "--save", ""], {
      account: {},
      folder,
      ready: /Ready to accept connections/,
    });
    const stop = async (): Promise<void> => {
      await end();
      remove();
    };
    return { url: `redis://127.0.0.1:${port}`, port, stop };
  } catch (error) {
    remove();
    throw error;
  }
}
