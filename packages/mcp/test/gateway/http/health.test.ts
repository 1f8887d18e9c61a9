import { ToolExecutor, ToolRegistry } from "@toolweave/core";
import { memoryTasks, type TaskStore } from "@toolweave/core/stores";
import { describe, expect, it, onTestFinished } from "vitest";
import { StoreCheck } from "../../../src/gateway/http/health.ts";
import { listenHttp, serveMcp } from "../../../src/gateway/index.ts";
import { ask, listening } from "../../support/open-listener.ts";

/** A store of tasks that can be unavailable. */
function tasksThatFail(): { readonly tasks: TaskStore; isDown: boolean } {
  const tasks = memoryTasks();
  const state = {
    isDown: false,
    tasks: {
      add: tasks.add.bind(tasks),
      change: tasks.change.bind(tasks),
      get: tasks.get.bind(tasks),
      list: (owner: string) => {
        if (state.isDown) throw new Error("The store is down: password is secret.");
        return tasks.list(owner);
      },
    },
  };
  return state;
}

async function serving(tasks: TaskStore): Promise<string> {
  const registry = new ToolRegistry([]);
  const gateway = serveMcp(registry, new ToolExecutor({ registry, tasks }));
  const listener = await listenHttp(gateway, { token: "a token of the host's own" });
  onTestFinished(async () => {
    await Promise.all([gateway.close({ graceMs: 0 }), listener.close(0)]);
  });
  return listener.url;
}

describe("the health checks of a listener", () => {
  it("need no token, accept any host, and reveal nothing", async () => {
    const url = await serving(memoryTasks());
    for (const path of ["/healthz", "/readyz"]) {
      const options = { method: "GET", headers: { host: "10.1.2.3:8137" } };
      const { status, body } = await ask(new URL(path, url).href, options);
      expect([status, body]).toEqual([200, "ok\n"]);
    }
  });

  it("say that a process is alive, and not ready, while its store is unavailable", async () => {
    const store = tasksThatFail();
    store.isDown = true;
    const url = await serving(store.tasks);
    const alive = await ask(new URL("/healthz", url).href, { method: "GET" });
    const ready = await ask(new URL("/readyz", url).href, { method: "GET" });
    expect([alive.status, ready.status, ready.body]).toEqual([200, 503, "unavailable\n"]);
  });

  it("answer GET and HEAD alone", async () => {
    const url = await serving(memoryTasks());
    const head = await ask(new URL("/readyz", url).href, { method: "HEAD" });
    expect([head.status, head.body]).toEqual([200, ""]);
    const post = await ask(new URL("/healthz", url).href);
    expect([post.status, post.headers.allow]).toEqual([405, "GET, HEAD"]);
  });

  it("are those of the listener alone for a gateway of the host's own", async () => {
    const { url } = await listening();
    expect((await ask(new URL("/readyz", url).href, { method: "GET" })).status).toBe(200);
  });

  it("cannot be the path of the endpoint", async () => {
    await expect(listening(undefined, { path: "/healthz" })).rejects.toThrow(/is a health check/);
  });
});

describe("the check of a store", () => {
  it("reads the store once for all who ask at the same time", async () => {
    let reads = 0;
    let finish = (): void => {};
    const read = (): Promise<void> => {
      reads += 1;
      return new Promise((resolve) => (finish = resolve));
    };
    const check = new StoreCheck(read);
    const asked = [check.isAvailable(), check.isAvailable(), check.isAvailable()];
    finish();
    expect(await Promise.all(asked)).toEqual([true, true, true]);
    expect(reads).toBe(1);
  });
});
