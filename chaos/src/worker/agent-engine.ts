import { once } from "node:events";
import { createServer } from "node:http2";
import { createEndpointHandler } from "@restatedev/restate-sdk";
import type { DurableEngine } from "@toolweave/durable";
import { dbosEngine } from "@toolweave/durable/dbos";
import { restateEngine } from "@toolweave/durable/restate";
import { bullmqEngine } from "@toolweave/example-bullmq/engine";
import type { PostgresStore } from "@toolweave/postgres";
import type { EngineSettings, WorkerSettings } from "./messages.ts";

/** An engine, and what starts it after the agents have been defined. */
export interface StartableEngine {
  readonly engine: DurableEngine;
  start(): Promise<void>;
}

/** Connects a worker to its engine. */
export function connectEngine(
  settings: EngineSettings,
  { url, schema, leaseMs }: WorkerSettings,
  { replicas }: PostgresStore,
): StartableEngine {
  switch (settings.name) {
    case "dbos": {
      const engine = dbosEngine({
        ...{ databaseUrl: url, version: "1", replicas, leaseMs, schema: `${schema}_dbos` },
        dbos: { logLevel: "error" },
      });
      return { engine, start: () => engine.launch() };
    }
    case "restate": {
      const engine = restateEngine({ ingressUrl: settings.ingressUrl });
      const start = async (): Promise<void> => {
        const server = createServer(createEndpointHandler({ services: engine.services }));
        server.listen(settings.port, "127.0.0.1");
        await once(server, "listening");
      };
      return { engine, start };
    }
    case "bullmq":
      return { engine: bullmqEngine(settings.redisUrl, leaseMs), start: async () => {} };
  }
}
