import { once } from "node:events";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { ToolExecutor, ToolRegistry } from "@toolweave/core";
import { mcpSource } from "@toolweave/mcp";
import { openApiSource } from "@toolweave/openapi";
import { sqliteStore } from "@toolweave/stores";
import { describe, expect, onTestFinished, test } from "vitest";
import { notes } from "./support/notes.ts";
import {
  add,
  remove,
  requests,
  run,
  shop,
  store,
  usePetShop,
} from "./support/pet-shop-with-store.ts";
import { idIn } from "./support/run-cli.ts";
import { redeem, runStudio, startStudio, StudioClient, type StudioHere } from "./support/studio.ts";
import { tempFile, tempFolder, tempStore } from "./support/temp-file.ts";

usePetShop();

const main = fileURLToPath(new URL("../src/main.ts", import.meta.url));
const token = "program-0123456789abcdef0123456789abcdef";

const studio = (...args: readonly string[]): Promise<StudioHere> =>
  runStudio(args, { TOOLWEAVE_STORE: store, STUDIO_TOKEN: token });

interface Approval {
  readonly id: string;
  readonly status: string;
  readonly digest: string;
}

interface Items<Item> {
  readonly items: readonly Item[];
}

async function approvals(client: StudioClient): Promise<readonly Approval[]> {
  return (await client.read<{ approvals: readonly Approval[] }>("/api/approvals")).approvals;
}

const approve = [{ type: "approve" }];

describe("the link", () => {
  test.each(["SIGINT", "SIGTERM"] as const)(
    "works once, and %s ends Studio with 0",
    async (signal) => {
      const { child, url, link, code, printed } = await startStudio([shop.documentUrl]);
      expect(link).toBe(`${url}/#code=${code}`);
      expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
      expect(printed().match(/#code=/g)).toHaveLength(1);
      const first = await redeem(url, code);
      expect(first.status).toBe(201);
      expect(await first.json()).toMatchObject({ scopes: ["read", "call", "decide"] });
      const second = await redeem(url, code);
      expect(second.status).toBe(403);
      expect(await second.json()).toMatchObject({ code: "code_invalid" });
      const closed = once(child, "close");
      child.kill(signal);
      expect(await closed).toEqual([0, null]);
    },
  );

  test("is printed for a person, and another one by Enter", async () => {
    const { client, openSession } = await studio(shop.documentUrl);
    const other = await openSession();
    expect(other.token).not.toBe(client.token);
    for (const { token: own } of [client, other]) {
      expect((await new StudioClient(client.url, own).send("/api/status")).status).toBe(200);
    }
  });
});

test("Studio has the sources, tools and problems that inspect prints", async () => {
  const broken = { get: { operationId: "getCat", parameters: [{ $ref: "#/nothing" }] } };
  const cats = { openapi: "3.1.0", info: { title: "Cats", version: "1" }, paths: { "/": broken } };
  const document = tempFile("cats.json", JSON.stringify(cats));
  const sources = [shop.documentUrl, notes().config, document];
  const inspected = await run(["inspect", ...sources, "--json", "--policy", "supervised"]);
  const expected = JSON.parse(inspected.stdout) as {
    readonly tools: readonly { readonly name: string; readonly provenance: { source: string } }[];
    readonly problems: readonly { readonly source: string; readonly message: string }[];
    readonly decisions: Readonly<Record<string, string>>;
  };
  const { client } = await studio(...sources, "--policy", "supervised");
  const { items: tools } =
    await client.read<
      Items<{ readonly name: string; readonly source: string; readonly effect: string }>
    >("/api/tools");
  expect(Object.fromEntries(tools.map(({ name, effect }) => [name, effect]))).toEqual(
    expected.decisions,
  );
  expect(tools.map(({ name }) => name).sort()).toEqual(
    expected.tools.map(({ name }) => name).sort(),
  );
  const listed = await client.read<Items<{ readonly id: string }>>("/api/sources");
  expect(new Set(tools.map(({ source }) => source))).toEqual(
    new Set(listed.items.map(({ id }) => id)),
  );
  const problems =
    await client.read<Items<{ readonly source: string; readonly message: string }>>(
      "/api/problems",
    );
  const key = ({ source, message }: { source: string; message: string }): string =>
    `${source}: ${message}`;
  expect(expected.problems.length).toBeGreaterThan(0);
  expect(problems.items.map(key).sort()).toEqual(expected.problems.map(key).sort());
});

describe("the token of a program", () => {
  /** Studio's own document as a source of tools, with the token. */
  async function load(url: string): Promise<ToolExecutor> {
    const source = openApiSource(`${url}/api/openapi.json`, { auth: { bearer: token } });
    const registry = new ToolRegistry([source]);
    onTestFinished(() => registry.close());
    await registry.load();
    expect(registry.problems).toEqual([]);
    return new ToolExecutor({ registry, policy: "autonomous" });
  }

  const call = async (executor: ToolExecutor, name: string, args: object = {}) =>
    await executor.execute({ id: crypto.randomUUID(), name, arguments: { ...args } });

  test("reads, also through Toolweave itself, and can neither call nor decide", async () => {
    const waits = await run(remove(7));
    const { url } = await studio(shop.documentUrl, "--token-env", "STUDIO_TOKEN");
    const program = new StudioClient(url, token);
    const executor = await load(url);
    const tools = await call(executor, "list_tools", { query: "pet" });
    expect(JSON.stringify(tools.result?.value)).toContain("delete_pet");
    for (const [name, args] of [
      ["get_status"],
      ["list_sources"],
      ["list_problems"],
      ["get_tool", { name: "delete_pet" }],
      ["get_provider_view", { name: "delete_pet", provider: "openai" }],
      ["list_approvals"],
      ["get_approval", { id: idIn(waits) }],
      ["list_runs"],
      ["list_tasks"],
      ["list_memory"],
      ["list_grants"],
      ["get_policy"],
    ] as const) {
      const outcome = await call(executor, name, args);
      expect([name, outcome.error?.message]).toEqual([name, undefined]);
    }
    const [approval] = await approvals(program);
    const answer = { digest: approval?.digest, answers: approve };
    const through = await call(executor, "answer_approval", { id: approval?.id, ...answer });
    expect(through.ok).toBe(false);
    expect(JSON.stringify(through.result)).toContain("insufficient_scope");
    const forbidden = { status: 403, body: { code: "insufficient_scope" } };
    expect(await program.send(`/api/approvals/${approval?.id}/answers`, answer)).toMatchObject(
      forbidden,
    );
    const started = { name: "list_pets", arguments: {} };
    expect(await program.send("/api/calls", started)).toMatchObject(forbidden);
    expect(requests()).toEqual([]);
  });

  test("calls tools with --token-calls, and never decides about what it has called", async () => {
    const args = [shop.documentUrl, "--token-env", "STUDIO_TOKEN", "--token-calls"];
    const { url } = await studio(...args);
    const program = new StudioClient(url, token);
    const listed = await program.call("list_pets", {});
    expect(listed).toMatchObject({ status: "completed", outcome: { ok: true } });
    const waits = await program.call("delete_pet", { id: 3 });
    expect(waits.status).toBe("interrupted");
    const [approval] = await approvals(program);
    expect(approval?.id).toBe(waits.approvalId);
    const executor = await load(url);
    const answer = { digest: approval?.digest, answers: approve };
    const through = await call(executor, "answer_approval", { id: approval?.id, ...answer });
    expect(JSON.stringify(through.result)).toContain("insufficient_scope");
    expect(requests().map(({ method }) => method)).toEqual(["GET"]);
  });
});

describe("is a wrong command", () => {
  test.each([
    ["a token that is too short", ["--token-env", "STUDIO_TOKEN"], "must have 32 characters"],
    ["an unset token", ["--token-env", "NO_TOKEN"], "NO_TOKEN must have 32 characters"],
    ["--token-calls without a token", ["--token-calls"], "--token-env"],
    ["another address without a token", ["--listen", "0.0.0.0:0"], "--token-env"],
    ["an events file that is missing", ["--events", "none.ndjson"], "There is no file none.ndjson"],
  ])("%s", async (_name, args, message) => {
    const ended = await run(["studio", shop.documentUrl, ...args], {
      env: { STUDIO_TOKEN: "too-short" },
    });
    expect(ended.code).toBe(2);
    expect(ended.stdout).toBe("");
    expect(ended.stderr).toContain(message);
    expect(ended.stderr).not.toContain("too-short");
  });
});

describe("what other processes leave", () => {
  test("a run that serve has recorded is displayed", async () => {
    const file = join(tempFolder(), "calls.ndjson");
    const { config } = notes();
    const source = mcpSource({
      name: "gateway",
      command: process.execPath,
      args: ["--conditions=@toolweave/source", main, "serve", "--config", config, "--events", file],
      env: { ...process.env, TOOLWEAVE_STORE: tempStore() } as Record<string, string>,
      prefix: false,
      trustAnnotations: true,
    });
    await source.ready;
    const gateway = new ToolExecutor({ registry: new ToolRegistry([source]) });
    const called = { id: "1", name: "notes__read_notes", arguments: {} };
    expect((await gateway.execute(called)).ok).toBe(true);
    await source.close();
    const { client } = await studio(shop.documentUrl, "--events", file);
    const { items } = await client.read<Items<{ readonly runId: string; readonly calls: number }>>(
      "/api/runs?recording=calls.ndjson",
    );
    expect(items).toMatchObject([{ recording: "calls.ndjson", tools: ["notes__read_notes"] }]);
    const details = await client.read<{ readonly spans: readonly object[] }>(
      `/api/runs/${items[0]?.runId}?recording=calls.ndjson`,
    );
    expect(details.spans).toMatchObject([{ kind: "call", tool: "notes__read_notes", state: "ok" }]);
    expect(JSON.stringify(details.spans)).toContain("Milk.");
  });

  test("a task that another process has made for another caller is listed and read", async () => {
    const left = sqliteStore(store);
    const id = `task_${"0".repeat(32)}`;
    const createdAt = Date.now();
    await left.tasks.add({
      ...{ id, tool: "export", runId: "run_1", callId: "call_1", status: "completed" },
      owner: JSON.stringify([null, "claude"]),
      ...{ createdAt, updatedAt: createdAt, expiresAt: createdAt + 3_600_000 },
      result: {
        ...{ callId: "call_1", toolName: "export", isError: false, durationMs: 5 },
        ...{ content: [{ type: "text", text: "Exported." }], artifacts: [], timestamp: createdAt },
      },
    });
    left.close();
    const { client } = await studio(shop.documentUrl);
    const { items } = await client.read<Items<object>>("/api/tasks");
    expect(items).toMatchObject([{ id, tool: "export", caller: "claude" }]);
    expect(JSON.stringify(await client.read(`/api/tasks/${id}`))).toContain("Exported.");
  });

  test("what an agent remembers is listed and read, in the folder of the configuration and with --store", async () => {
    const config = JSON.stringify({ builtin: { memory: true }, store: "state" });
    const file = tempFile("toolweave.json", config);
    const content = "Releases are on Tuesdays.";
    const call = ["call", "memory_store", "key=release day", `content=${content}`, "--yes"];
    const withConfig = await studio(file);
    const path = "/api/memory";
    type Memory = Items<{ readonly id: string; readonly key: string }>;
    expect(await withConfig.client.read<Memory>(path)).toEqual({ items: [] });
    const stored = await run([...call, "--config", file]);
    expect([stored.code, stored.stderr]).toEqual([0, expect.any(String)]);
    const state = join(dirname(file), "state", "approvals.sqlite");
    for (const { client } of [withConfig, await studio(shop.documentUrl, "--store", state)]) {
      const { items } = await client.read<Memory>(path);
      expect(items).toMatchObject([{ key: "release day" }]);
      expect(await client.read(`${path}/${items[0]?.id}`)).toMatchObject({ content });
    }
    expect(await (await studio(shop.documentUrl)).client.read(path)).toEqual({ items: [] });
  });

  test("a call that waits in the store is listed, and approved from Studio", async () => {
    const id = idIn(await run(add("Rex")));
    const { client } = await studio(shop.documentUrl);
    const [approval] = await approvals(client);
    expect(approval).toMatchObject({ id, status: "pending", verified: true });
    const { status, body } = await client.send(`/api/approvals/${id}/answers`, {
      digest: approval?.digest,
      answers: approve,
    });
    expect({ status, body }).toMatchObject({ status: 200, body: { status: "completed" } });
    expect(requests().map(({ body: sent }) => sent)).toEqual(['{"name":"Rex"}']);
    expect(await approvals(client)).toEqual([]);
  });

  test("a call that waits in Studio is approved by `toolweave approvals approve ID`", async () => {
    const { client } = await studio(shop.documentUrl);
    const waits = await client.call("add_pet", { name: "Tom" });
    expect(waits.status).toBe("interrupted");
    const approved = await run(["approvals", "approve", waits.approvalId ?? ""]);
    expect([approved.code, approved.stderr]).toEqual([0, expect.any(String)]);
    expect(JSON.parse(approved.stdout)).toEqual({ name: "Tom" });
    expect(requests().map(({ body }) => body)).toEqual(['{"name":"Tom"}']);
    expect(await approvals(client)).toEqual([]);
  });
});
