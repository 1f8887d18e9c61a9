import { ToolExecutor, ToolRegistry, type JsonObject, type ToolOutcome } from "@toolweave/core";
import { inFullRun, isFullRun } from "@toolweave/test-support";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { McpServer } from "../../../src/index.ts";
import { forwardToClient, listenHttp, serveMcp } from "../../../src/gateway/index.ts";
import { everything } from "../../support/everything-server.ts";
import { fixtureHttp, type FixtureHttp } from "../../support/fixture-server-http.ts";
import { executorOver, opened } from "../../support/open-source.ts";
import { openClient, eras, post, type Era } from "../../support/open-gateway.ts";
import { knowingTasks, getRequest } from "../../support/task-client.ts";

/** A client that calls the tools of a server through its own source. */
async function createCaller(
  server: McpServer,
): Promise<(name: string, args: object) => Promise<Came>> {
  const source = opened({
    ...server,
    prefix: false,
    onElicitation: (request) => {
      const schema = request.mode === "url" ? {} : request.requestedSchema;
      const [name = ""] = Object.keys((schema["properties"] ?? {}) as object);
      return { action: "accept", content: { [name]: name === "colour" ? "red" : "python" } };
    },
  } as McpServer);
  await source.ready;
  const executor = executorOver(source);
  return async (name, args) => {
    const outcome = await executor.execute(
      { id: "call", name, arguments: { ...args } },
      { asTask: true },
    );
    const taskId = outcome.status === "completed" ? outcome.result.taskId : undefined;
    return came(taskId === undefined ? outcome : await executor.tasks.result(taskId));
  };
}

type Came = Readonly<Record<string, unknown>>;

/** The outcome of a call, without times and ids. */
function came(outcome: ToolOutcome | undefined): Came {
  if (outcome === undefined || outcome.status === "interrupted") return { status: "waits" };
  const { content, value, isError } = outcome.result;
  const { code, message, body } = outcome.error ?? {};
  return { status: outcome.status, content, value, isError, code, message, body };
}

/** The response of a server of the older generation to a client of the newer one. */
const notKnown = { code: -32000, message: "Bad Request: Unsupported protocol version" };

/** A source's server behind a gateway that is used in one generation of the protocol only. */
async function behindGateway(server: McpServer, era: Era): Promise<string> {
  const source = opened({ ...server, ...forwardToClient, prefix: false } as McpServer);
  await source.ready;
  const registry = new ToolRegistry([source]);
  const gateway = serveMcp(registry, new ToolExecutor({ registry, policy: "autonomous" }));
  const listener = await listenHttp({
    fetch: async (request, from) =>
      era === "legacy" && request.headers.get("mcp-protocol-version") === "2026-07-28"
        ? Response.json({ jsonrpc: "2.0", error: notKnown, id: null }, { status: 400 })
        : gateway.fetch(request, from),
  });
  onTestFinished(async () => {
    await gateway.close({ graceMs: 0 });
    await listener.close(0);
  });
  return listener.url;
}

async function fixture(era: "legacy" | "modern"): Promise<FixtureHttp> {
  const http = await fixtureHttp({ era });
  onTestFinished(() => http.close());
  return http;
}

describe.each(eras)("a task of a %s server, for a client of the same generation,", (era) => {
  it.each([
    ["that completes", "task_required", {}],
    ["that requires input", "task_required", { outcome: "ask" }],
    ...inFullRun<[string, string, object][]>(
      [
        ["that is optional", "task_optional", {}],
        ["whose answer is an error", "task_required", { outcome: "error" }],
        ["that fails", "task_required", { outcome: "fail" }],
      ],
      [],
    ),
  ])("%s has the same result through the gateway", async (_what, name, args) => {
    const http = await fixture(era);
    const server = { name: "fixture", url: http.url } as const;
    const direct = await (await createCaller(server))(name, args);
    const url = await behindGateway(server, era);
    const forwarded = await (await createCaller({ name: "fixture", url }))(name, args);
    expect(forwarded).toEqual(direct);
    expect([...http.world.tasks.values()].map(({ tool }) => tool)).toEqual([name, name]);
  });
});

it.runIf(isFullRun)(
  "a real server's task, which requires input, has the same result through the gateway",
  async () => {
    const started = await everything("stdio");
    onTestFinished(() => started.stop());
    const args = { topic: "snakes", ambiguous: true };
    const direct = await (await createCaller(started.server))("simulate-research-query", args);
    const url = await behindGateway(started.server, "legacy");
    const call = await createCaller({ name: "everything", url });
    const forwarded = await call("simulate-research-query", args);
    expect(direct).toMatchObject({ status: "completed", isError: false });
    expect(forwarded).toEqual(direct);
  },
);

describe("a server's task, behind the gateway,", () => {
  it("is a task for a client of 2026-07-28 as soon as, and only if, the server creates one", async () => {
    const http = await fixture("modern");
    const url = await behindGateway({ name: "fixture", url: http.url }, "modern");
    const call = async (name: string): Promise<JsonObject | undefined> =>
      (await post(url, "tools/call", { name, arguments: { outcome: "never" } }, knowingTasks))
        .result;
    expect(await call("task_required")).toMatchObject({ resultType: "task", status: "working" });
    expect(await call("show_tasks")).toMatchObject({ structuredContent: { tasks: [{}] } });
  });

  it.each(eras)("is awaited if a client of a %s gateway has no task support", async (era) => {
    const http = await fixture("legacy");
    const url = await behindGateway({ name: "fixture", url: http.url }, era);
    const client = await openClient(url, era);
    expect(await client.callTool({ name: "task_required", arguments: {} })).toMatchObject({
      content: [{ type: "text", text: "Done." }],
      structuredContent: { steps: 2 },
    });
  });

  it.each(eras)(
    "of a %s server is cancelled on the server when the client cancels it",
    async (era) => {
      const http = await fixture(era);
      const url = await behindGateway({ name: "fixture", url: http.url }, era);
      const params = { name: "task_required", arguments: { outcome: "never" } };
      if (era === "modern") {
        const { result } = await post(url, "tools/call", params, knowingTasks);
        await post(url, "tasks/cancel", { taskId: String(result?.["taskId"]) }, knowingTasks);
      } else {
        const client = await openClient(url, era);
        const { task } = await getRequest(client, "tools/call", { ...params, task: {} });
        const { taskId } = task as { taskId: string };
        await vi.waitUntil(() => http.world.tasks.size === 1);
        await getRequest(client, "tasks/cancel", { taskId });
      }
      await vi.waitFor(
        () => expect([...http.world.tasks.values()]).toMatchObject([{ status: "cancelled" }]),
        60_000,
      );
    },
  );
});
