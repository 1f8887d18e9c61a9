import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { freePort } from "./postgres-server.ts";

const version = "1.7.12";

/** A Restate server on loopback. */
export interface RestateServer {
  readonly ingressUrl: string;
  /** Registers the services at an address. */
  register(url: string): Promise<void>;
  stop(): Promise<void>;
}

/**
 * The path of the server, which npm installs into a folder that later runs find again (225 MB); an error says why there
 * is none.
 */
export function restateProgram(): string | Error {
  const folder = join(tmpdir(), `toolweave-restate-${version}`);
  const platform = `@restatedev/restate-server-${process.platform}-${process.arch}`;
  const program = join(folder, "node_modules", platform, "bin/restate-server");
  if (existsSync(program)) return program;
  // Other processes may look for it at the same time: they find all of it, or nothing.
  const own = mkdtempSync(`${folder}-`);
  writeFileSync(join(own, "package.json"), "{}");
  const { status, stderr } = spawnSync(
    "npm",
    [
      "install",
      "--no-audit",
      "--no-fund",
      "--ignore-scripts",
      `@restatedev/restate-server@${version}`,
    ],
    { cwd: own, encoding: "utf8" },
  );
  if (status !== 0) return new Error(`restate-server cannot be installed: ${stderr}`);
  try {
    renameSync(own, folder);
  } catch {
    // Another process has installed it meanwhile.
    rmSync(own, { recursive: true, force: true });
  }
  return program;
}

/** Ends the program at the end of the input, which is also the end of this process. */
const supervisor = `
exec 3<&0
"$@" <&- 3<&- &
pid=$!
(read -r _ <&3; kill -KILL $pid) 2>/dev/null &
exec 3<&-
wait $pid
`;

/** Starts a server with an empty store. */
export async function startRestate(program: string): Promise<RestateServer> {
  const folder = mkdtempSync(join(tmpdir(), "toolweave-restate-data-"));
  const [ingress, admin, node] = await Promise.all([freePort(), freePort(), freePort()]);
  const args = ["-c", supervisor, "sh", program, "--base-dir", folder, "--node-name", "test"];
  const child = spawn("/bin/sh", args, {
    stdio: ["pipe", "ignore", "ignore"],
    env: {
      ...process.env,
      RESTATE_INGRESS__BIND_ADDRESS: `127.0.0.1:${ingress}`,
      RESTATE_ADMIN__BIND_ADDRESS: `127.0.0.1:${admin}`,
      RESTATE_BIND_ADDRESS: `127.0.0.1:${node}`,
      RESTATE_ADVERTISED_ADDRESS: `http://127.0.0.1:${node}`,
      RESTATE_DISABLE_TELEMETRY: "true",
      DO_NOT_TRACK: "1",
      RESTATE_ROCKSDB_TOTAL_MEMORY_SIZE: "256MB",
      RESTATE_DEFAULT_NUM_PARTITIONS: "2",
    },
  });
  const ended = once(child, "exit");
  const stop = async (): Promise<void> => {
    child.stdin?.end();
    await ended;
    rmSync(folder, { recursive: true, force: true });
  };
  const adminUrl = `http://127.0.0.1:${admin}`;
  for (let attempt = 1; ; attempt++) {
    const answers = await Promise.all(
      [`${adminUrl}/health`, `http://127.0.0.1:${ingress}/restate/health`].map(async (url) =>
        fetch(url).then(
          ({ ok }) => ok,
          () => false,
        ),
      ),
    );
    if (answers.every(Boolean)) break;
    if (child.exitCode !== null || attempt === 300) {
      await stop();
      throw new Error(`restate-server did not start (exit code ${child.exitCode})`);
    }
    await delay(200);
  }
  return {
    ingressUrl: `http://127.0.0.1:${ingress}`,
    register: async (uri) => {
      const response = await fetch(`${adminUrl}/deployments`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ uri }),
      });
      if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
    },
    stop,
  };
}
