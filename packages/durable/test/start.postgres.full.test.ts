import { describe, expect, inject, test } from "vitest";
import type { MachineConfig } from "./support/agent-process.ts";
import { nextLine, startNode } from "./support/machines.ts";

const postgresUrl = inject("postgresUrl");

describe.skipIf(postgresUrl === undefined)("several processes on DBOS", () => {
  test("all start at the same time, with a database that has no tables", async () => {
    const children = [1, 2, 3].map((number) => {
      const config: MachineConfig = {
        machine: `m${number}`,
        engine: "dbos",
        mode: "agent",
        script: "short",
        databaseUrl: postgresUrl ?? "",
        schema: `start_${process.pid}`,
        leaseMs: 1000,
        effectsUrl: "http://127.0.0.1",
        host: "127.0.0.1",
        port: 0,
        ingressUrl: "http://127.0.0.1",
      };
      return startNode("agent-process.ts", [JSON.stringify(config)]);
    });
    try {
      const ready = await Promise.allSettled(children.map((child) => nextLine(child, "ready")));
      expect(ready.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled", "fulfilled"]);
    } finally {
      await Promise.all(children.map((child) => child.kill()));
    }
  });
});
