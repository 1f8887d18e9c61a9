import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer as createHttp2Server } from "node:http2";
import { createServer, type AddressInfo, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { DBOS } from "@dbos-inc/dbos-sdk";
import * as restate from "@restatedev/restate-sdk";
import pg from "pg";
import { body } from "./operations.ts";

/** The steps of a run that is measured. */
export const stepsPerRun = 5;

/** An engine for durable runs. */
export interface Engine {
  readonly name: string;
  /** A run of `stepsPerRun` steps, each with the JSON as its result. */
  readonly run: () => Promise<unknown>;
  end(): Promise<void>;
}

/** DBOS in this process, with a database of its own on the same server. */
export async function startDbos(serverUrl: string, connections: number): Promise<Engine> {
  const admin = new pg.Client({ connectionString: serverUrl });
  await admin.connect();
  await admin.query("CREATE DATABASE dbos").catch(() => {});
  await admin.end();
  const url = new URL(serverUrl);
  url.pathname = "/dbos";
  DBOS.setConfig({
    name: "bench",
    systemDatabaseUrl: url.href,
    // With a pool of one, its notifications and its steps wait for each other.
    systemDatabasePoolSize: Math.max(connections, 4),
    logLevel: "error",
    runAdminServer: false,
  });
  const workflow = DBOS.registerWorkflow(
    async () => {
      for (let step = 0; step < stepsPerRun; step++) {
        await DBOS.runStep(async () => body, { name: `step ${step}` });
      }
    },
    { name: "bench" },
  );
  await DBOS.launch();
  return { name: "DBOS", run: () => workflow(), end: () => DBOS.shutdown({ deregister: true }) };
}

/** Restate's server in a process of its own, with its own storage in a folder. The steps run in this process. */
export async function startRestate(): Promise<Engine> {
  const bench = restate.service({
    name: "bench",
    handlers: {
      run: async (ctx: restate.Context) => {
        for (let step = 0; step < stepsPerRun; step++) await ctx.run(`step ${step}`, () => body);
      },
    },
  });
  const service = createHttp2Server(
    restate
      .endpoint()
      .setLogger(() => {})
      .bind(bench)
      .http2Handler(),
  );
  const [serviceAt, ingress, admin, node] = [await listen(service), ...(await freePorts(3))];
  const folder = mkdtempSync(join(tmpdir(), "toolweave-restate-"));
  const program = join(import.meta.dirname, "node_modules/.bin/restate-server");
  const server = spawn(program, ["--base-dir", folder], {
    stdio: "ignore",
    env: {
      ...process.env,
      RESTATE_INGRESS__BIND_ADDRESS: `127.0.0.1:${ingress}`,
      RESTATE_ADMIN__BIND_ADDRESS: `127.0.0.1:${admin}`,
      RESTATE_BIND_ADDRESS: `127.0.0.1:${node}`,
      RESTATE_DISABLE_TELEMETRY: "true",
    },
  });
  const end = async (): Promise<void> => {
    server.kill("SIGINT");
    if (server.exitCode === null) await once(server, "exit");
    service.close();
    rmSync(folder, { recursive: true, force: true });
  };
  const post = async (url: string, json?: unknown): Promise<void> => {
    const answer = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      ...(json === undefined ? {} : { body: JSON.stringify(json) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${url}: ${answer.status} ${text}`);
  };
  try {
    await untilReady(`http://127.0.0.1:${admin}/health`);
    await post(`http://127.0.0.1:${admin}/deployments`, { uri: `http://127.0.0.1:${serviceAt}` });
  } catch (error) {
    await end();
    throw error;
  }
  return { name: "Restate", run: () => post(`http://127.0.0.1:${ingress}/bench/run`), end };
}

async function untilReady(url: string): Promise<void> {
  for (let attempt = 0; attempt < 300; attempt++) {
    try {
      if ((await fetch(url)).ok) return;
    } catch {
      // It does not listen yet.
    }
    await delay(100);
  }
  throw new Error(`${url} is not ready.`);
}

async function listen(server: Server | ReturnType<typeof createHttp2Server>): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer());
  const ports = await Promise.all(servers.map((server) => listen(server)));
  for (const server of servers) server.close();
  return ports;
}
