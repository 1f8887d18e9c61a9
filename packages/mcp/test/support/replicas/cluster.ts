import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, appendFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { compileCache } from "@toolweave/test-support";
import { balance, type Balancer } from "./balancer.ts";
import type { ReplicaProcess } from "./replica-process.ts";

const script = fileURLToPath(new URL("./replica-process.ts", import.meta.url));
const suiteScript = fileURLToPath(
  new URL("../../../conformance-suite/replica-process.ts", import.meta.url),
);

/** The key of all replicas. */
export const key = "the same thirty-two bytes everywhere";

/** One gateway process. */
export interface ReplicaHandle {
  readonly url: string;
  readonly process: ChildProcess;
  kill(): Promise<void>;
  /** Starts it again, at the same URL. */
  restart(): Promise<void>;
}

/** Gateways with one store behind a load balancer. */
interface Replicas {
  readonly replicas: readonly [ReplicaHandle, ReplicaHandle, ReplicaHandle];
  readonly balancer: Balancer;
  close(): Promise<void>;
}

/** Gateways with the tools of `replica-process.ts`. */
export interface Cluster extends Replicas {
  /** The runs of tools: `a ask 7`. */
  effects(): readonly string[];
}

/**
 * Starts three gateways: a, b and c.
 *
 * @param postgresUrl A database, in which they have a schema of their own. Default: they share an SQLite file.
 */
export async function cluster(postgresUrl?: string): Promise<Cluster> {
  const schema = `replicas_${crypto.randomUUID().replaceAll("-", "")}`;
  const names = ["a", "b", "c"];
  let effects = "";
  const replicas = await startReplicas(script, (folder, index, port) => {
    effects = join(folder, "effects");
    // Also when a replica is started again: then the file has the effects so far.
    appendFileSync(effects, "");
    const store =
      postgresUrl === undefined
        ? { file: join(folder, "store.sqlite") }
        : { url: postgresUrl, schema };
    const options: ReplicaProcess = { key, effects, store, name: names[index] ?? "", port };
    return [JSON.stringify(options)];
  });
  return {
    ...replicas,
    effects: () => readFileSync(effects, "utf8").split("\n").filter(Boolean),
  };
}

/** Starts three gateways with what the official suite needs. */
export function suiteCluster(): Promise<Replicas> {
  return startReplicas(suiteScript, (folder, _index, port) => [
    String(port),
    key,
    join(folder, "store.sqlite"),
  ]);
}

/** @param toArguments Returns the arguments of a process; all have the folder. */
async function startReplicas(
  program: string,
  toArguments: (folder: string, index: number, port: number) => readonly string[],
): Promise<Replicas> {
  const folder = mkdtempSync(join(tmpdir(), "toolweave-replicas-"));
  const children = new Set<ChildProcess>();
  const start = async (index: number, port: number): Promise<ChildProcess> => {
    const child = fork(program, toArguments(folder, index, port), {
      execArgv: ["--conditions=@toolweave/source"],
      env: { ...process.env, ...compileCache },
    });
    children.add(child);
    child.once("exit", () => children.delete(child));
    await once(child, "message");
    // What changes in one changes in all, as it would with the same upstream servers.
    child.on("message", (message) => {
      if (message !== "tools" && message !== "prompts") return;
      for (const one of children) one.send(message);
    });
    return child;
  };
  const ports = [await freePort(), await freePort(), await freePort()] as const;
  const handle = async (index: number, port: number): Promise<ReplicaHandle> => {
    let child = await start(index, port);
    return {
      url: `http://127.0.0.1:${port}/mcp`,
      get process() {
        return child;
      },
      async kill() {
        const exited = once(child, "exit");
        child.kill("SIGKILL");
        await exited;
      },
      async restart() {
        child = await start(index, port);
      },
    };
  };
  // The first creates the store.
  const first = await handle(0, ports[0]);
  const others = await Promise.all([handle(1, ports[1]), handle(2, ports[2])]);
  const balancer = await balance(ports);
  return {
    replicas: [first, ...others],
    balancer,
    async close() {
      await balancer.close();
      await Promise.all(
        Array.from(children, async (child) => {
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
