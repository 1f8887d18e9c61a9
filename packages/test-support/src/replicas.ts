import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { balanceRequests, type RequestBalancer } from "./balancer.ts";
import { compileCache } from "./index.ts";

/** One gateway process. */
export interface ReplicaHandle {
  readonly url: string;
  readonly process: ChildProcess;
  kill(): Promise<void>;
  /** Sends SIGTERM, and waits for its end. An exit code other than 0 counts as a crash. */
  stop(): Promise<void>;
  /** Starts it again, at the same URL. */
  restart(): Promise<void>;
}

/** Gateways with one store behind a load balancer. */
export interface Replicas {
  readonly replicas: readonly [ReplicaHandle, ReplicaHandle, ReplicaHandle];
  readonly balancer: RequestBalancer;
  /** The number of processes that have ended by themselves. */
  readonly crashes: () => number;
  close(): Promise<void>;
}

/**
 * Starts three gateways behind a load balancer.
 *
 * @param program Starts one, and sends "ready" when it listens.
 * @param toArguments Returns the arguments of a process that is started; all have the folder.
 */
export async function startReplicas(
  program: string,
  toArguments: (folder: string, index: number, port: number) => readonly string[],
): Promise<Replicas> {
  const folder = mkdtempSync(join(tmpdir(), "toolweave-replicas-"));
  const children = new Set<ChildProcess>();
  const killed = new WeakSet<ChildProcess>();
  let crashes = 0;
  const kill = async (child: ChildProcess): Promise<void> => {
    killed.add(child);
    if (!children.has(child)) return;
    const exited = once(child, "exit");
    child.kill("SIGKILL");
    await exited;
  };
  const start = async (index: number, port: number): Promise<ChildProcess> => {
    const child = fork(program, toArguments(folder, index, port), {
      execArgv: ["--conditions=@toolweave/source"],
      env: { ...process.env, ...compileCache },
    });
    children.add(child);
    const exited = once(child, "exit");
    child.once("exit", (code) => {
      children.delete(child);
      if (!killed.has(child) && code !== 0) crashes += 1;
    });
    const ready = await Promise.race([once(child, "message"), exited.then(() => undefined)]);
    if (ready === undefined) throw new Error(`${program} has ended before it was ready.`);
    // What changes in one changes in all, as it would with the same upstream servers.
    child.on("message", (message) => {
      if (message !== "tools" && message !== "prompts") return;
      for (const one of children) one.send(message);
    });
    return child;
  };
  const handle = async (index: number, port: number): Promise<ReplicaHandle> => {
    let child = await start(index, port);
    return {
      url: `http://127.0.0.1:${port}/mcp`,
      get process() {
        return child;
      },
      kill: () => kill(child),
      async stop() {
        if (!children.has(child)) return;
        const exited = once(child, "exit");
        child.kill("SIGTERM");
        await exited;
      },
      async restart() {
        child = await start(index, port);
      },
    };
  };
  const ports = [await freePort(), await freePort(), await freePort()] as const;
  // The first creates the store.
  const first = await handle(0, ports[0]);
  const others = await Promise.all([handle(1, ports[1]), handle(2, ports[2])]);
  const balancer = await balanceRequests(ports.map((port) => ({ address: "127.0.0.1", port })));
  return {
    replicas: [first, ...others],
    balancer,
    crashes: () => crashes,
    async close() {
      await balancer.close();
      await Promise.all(Array.from(children, kill));
      rmSync(folder, { recursive: true });
    },
  };
}

/** Kills that continue until they are ended. */
export interface Killing {
  readonly kills: () => number;
  /** Begins to observe whether a process is killed, or is about to end because of that. */
  observe(): () => boolean;
  /** Resolves when the last process that was killed runs again. */
  end(): Promise<void>;
}

/**
 * Kills one replica after another (SIGKILL), and starts it again.
 *
 * @param everyMs Milliseconds between a restart and the next kill.
 */
export function killInTurn(replicas: readonly ReplicaHandle[], everyMs: number): Killing {
  const ending = new AbortController();
  let kills = 0;
  let ends = 0;
  const running = (async () => {
    while (!ending.signal.aborted) {
      await wait(everyMs, undefined, { signal: ending.signal }).catch(() => {});
      if (ending.signal.aborted) return;
      const index = kills % replicas.length;
      kills += 1;
      await replicas[index]?.kill();
      ends += 1;
      await replicas[index]?.restart();
    }
  })();
  // The error of a replica that does not start is reported by end().
  running.catch(() => {});
  return {
    kills: () => kills,
    observe() {
      const before = ends;
      return () => ends > before || kills > before;
    },
    async end() {
      ending.abort();
      await running;
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
