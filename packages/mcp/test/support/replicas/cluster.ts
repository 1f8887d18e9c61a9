import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { compileCache } from "@toolweave/test-support";
import { balance, type Balancer } from "./balancer.ts";
import type { ReplicaProcess } from "./replica-process.ts";

const script = fileURLToPath(new URL("./replica-process.ts", import.meta.url));

/** The key of all replicas. */
export const key = "the same thirty-two bytes everywhere";

/** One gateway process. */
export interface ReplicaHandle {
  readonly name: string;
  readonly url: string;
  readonly process: ChildProcess;
  kill(): Promise<void>;
  /** Starts it again, at the same URL. */
  restart(): Promise<void>;
}

/** Gateways with one store behind a load balancer. */
export interface Cluster {
  readonly replicas: readonly [ReplicaHandle, ReplicaHandle, ReplicaHandle];
  readonly balancer: Balancer;
  /** The runs of tools: `a ask 7`. */
  effects(): readonly string[];
  close(): Promise<void>;
}

/** Starts three gateways: a, b and c. */
export async function cluster(
  options: Pick<ReplicaProcess, "callsPerMinute"> = {},
): Promise<Cluster> {
  const folder = mkdtempSync(join(tmpdir(), "toolweave-replicas-"));
  const effects = join(folder, "effects");
  writeFileSync(effects, "");
  const shared = { key, effects, store: join(folder, "store.sqlite"), ...options };
  const children = new Set<ChildProcess>();
  const start = async (name: string, port: number): Promise<ChildProcess> => {
    const child = fork(script, [JSON.stringify({ ...shared, name, port })], {
      execArgv: ["--conditions=@toolweave/source"],
      env: { ...process.env, ...compileCache },
    });
    children.add(child);
    child.once("exit", () => children.delete(child));
    await once(child, "message");
    return child;
  };
  const ports = await Promise.all([freePort(), freePort(), freePort()]);
  const handle = async (name: string, port: number): Promise<ReplicaHandle> => {
    let child = await start(name, port);
    return {
      name,
      url: `http://127.0.0.1:${port}/mcp`,
      get process() {
        return child;
      },
      async kill() {
        child.kill("SIGKILL");
        await once(child, "exit");
      },
      async restart() {
        child = await start(name, port);
      },
    };
  };
  const [a, b, c] = ports;
  // The first creates the store.
  const first = await handle("a", a);
  const replicas = [first, ...(await Promise.all([handle("b", b), handle("c", c)]))] as const;
  const balancer = await balance(ports);
  return {
    replicas: [...replicas],
    balancer,
    effects: () => readFileSync(effects, "utf8").split("\n").filter(Boolean),
    async close() {
      await balancer.close();
      await Promise.all(
        [...children].map(async (child) => {
          const exited = once(child, "exit");
          child.kill("SIGKILL");
          await exited;
        }),
      );
      rmSync(folder, { recursive: true });
    },
  };
}

/** A port that nothing listens on. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
