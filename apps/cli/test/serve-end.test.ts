import { once } from "node:events";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { ChildProcess } from "node:child_process";
import { expect, onTestFinished, test } from "vitest";
import { FileStore } from "../src/store/file-store.ts";
import { runCli } from "../src/program.ts";
import { captureIo } from "./support/captured-io.ts";
import { notes, notesServer, taskServer } from "./support/notes.ts";
import { openPetShop } from "./support/pet-shop.ts";
import { startBin } from "./support/run-bin.ts";
import { runCommand } from "./support/run-cli.ts";
import { tempFolder, tempStore } from "./support/temp-file.ts";

interface Served {
  readonly url: string;
  /** Stops it, and waits for its end. */
  stop(): Promise<number>;
}

/** A gateway over HTTP, in this process. */
function served(...args: readonly string[]): Promise<Served> {
  return servedWith({}, ...args);
}

async function servedWith(
  env: Readonly<Record<string, string>>,
  ...args: readonly string[]
): Promise<Served> {
  const { io, said, stderr, interrupt } = captureIo({ env });
  const ended = runCli(["serve", "--http", "127.0.0.1:0", ...args], io);
  const stop = async (): Promise<number> => {
    interrupt.abort();
    return ended;
  };
  onTestFinished(() => void stop());
  await said("Serving");
  return { url: /, at (http:\S+)/.exec(stderr())?.[1] ?? "", stop };
}

/** The same, in a child process. */
async function startedAt(...args: readonly string[]): Promise<[ChildProcess, string]> {
  const child = startBin(["serve", "--http", "127.0.0.1:0", ...args]);
  onTestFinished(() => void child.kill("SIGKILL"));
  child.stderr.setEncoding("utf8");
  let said = "";
  while (!said.includes("Serving")) said += String((await once(child.stderr, "data"))[0]);
  return [child, /, at (http:\S+)/.exec(said)?.[1] ?? ""];
}

/** One request of 2026-07-28. */
function ask(url: string, method: string, params: object): Promise<Response> {
  const { name, uri, taskId } = params as Readonly<Record<string, string | undefined>>;
  const mcpName = name ?? uri ?? taskId;
  return fetch(url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": method,
      ...(mcpName === undefined ? {} : { "mcp-name": mcpName }),
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method,
      params: {
        ...params,
        _meta: {
          "io.modelcontextprotocol/protocolVersion": "2026-07-28",
          "io.modelcontextprotocol/clientCapabilities": {
            extensions: { "io.modelcontextprotocol/tasks": {} },
          },
        },
      },
    }),
  });
}

async function readText(asked: Promise<Response>): Promise<string> {
  return (await asked).text();
}

test("a client reads that its call was cancelled when serve is stopped, and serve ends with 0", async () => {
  const shop = await openPetShop();
  onTestFinished(() => shop.close());
  const [child, url] = await startedAt(
    "--openapi",
    shop.documentUrl,
    "--policy",
    "autonomous",
    "--allow-origin",
    shop.url,
    "--grace",
    "1",
  );
  const answer = readText(ask(url, "tools/call", { name: "wait_forever", arguments: {} }));
  await shop.asked("/never");
  const ended = once(child, "close");
  child.kill("SIGTERM");
  expect(await answer).toContain("cancelled");
  expect(await ended).toEqual([0, null]);
});

test.each(["in the default store", "in a store that was named"])(
  "a task and an artifact of serve are still read after a restart, %s",
  async (where) => {
    const text = "all of it ".repeat(12_000);
    const long = notesServer({ HAS: text, NOTES: "" });
    const { config } = notes({ servers: { long, works: taskServer } });
    const home = tempFolder();
    const env = { HOME: home, TOOLWEAVE_STORE: "", XDG_STATE_HOME: "" };
    const args = ["--config", config, "--policy", "autonomous"];
    if (where !== "in the default store") args.push("--store", tempStore());
    const first = await servedWith(env, ...args);
    const called = ask(first.url, "tools/call", { name: "long__read_notes", arguments: {} });
    const [uri = ""] = /artifact:art_\w+/.exec(await readText(called)) ?? [];
    const begun = ask(first.url, "tools/call", { name: "works__build", arguments: {} });
    const [, taskId = ""] = /"taskId":"(\w+)"/.exec(await readText(begun)) ?? [];
    expect([uri, taskId]).not.toContain("");
    const task = (url: string): Promise<string> => readText(ask(url, "tasks/get", { taskId }));
    while ((await task(first.url)).includes('"working"'));
    expect(await first.stop()).toBe(0);
    const second = await servedWith(env, ...args);
    expect(await readText(ask(second.url, "resources/read", { uri }))).toContain(text);
    expect(await task(second.url)).toContain("Built in nine steps.");
    if (where !== "in the default store") return;
    const folder = join(home, ".local", "state", "toolweave");
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    for (const file of readdirSync(folder)) {
      expect([file, statSync(join(folder, file)).mode & 0o777]).toEqual([file, 0o600]);
    }
  },
);

test("tasks and artifacts of one process are found by the next", async () => {
  const path = tempStore();
  const first = new FileStore(path, {});
  const now = Date.now();
  const owner = '[null,"ann"]';
  const task = { id: `task_${"a".repeat(32)}`, owner, runId: "r", callId: "c", tool: "t" };
  const times = { createdAt: now, updatedAt: now, expiresAt: now + 60_000 };
  await first.tasks.add({ ...task, ...times, status: "working" });
  const content = [{ type: "text" as const, text: "done" }];
  const result = { callId: "c", toolName: "t", content, artifacts: [], isError: false };
  const change = { status: "completed" as const, updatedAt: now, expiresAt: now + 60_000 };
  await first.tasks.change(task.id, {
    ...change,
    result: { ...result, durationMs: 1, timestamp: now },
  });
  const key = `art_${"b".repeat(32)}`;
  const artifact = { key, owner, mediaType: "text/plain", size: 3 };
  await first.artifacts.put({ ...artifact, ...times }, new Uint8Array([1, 2, 3]));
  await first.close();
  const second = new FileStore(path, {});
  onTestFinished(() => second.close());
  expect(await second.tasks.list(owner)).toMatchObject([{ id: task.id, status: "completed" }]);
  expect(await second.artifacts.read(key, 0, 3)).toEqual(new Uint8Array([1, 2, 3]));
});

test("a task of one process can be cancelled by another, which has opened the same file", async () => {
  const path = tempStore();
  const [first, second] = [new FileStore(path, {}), new FileStore(path, {})];
  onTestFinished(() => first.close());
  onTestFinished(() => second.close());
  const now = Date.now();
  const id = `task_${"c".repeat(32)}`;
  const task = { id, owner: "[null,null]", runId: "r", callId: "c", tool: "t" };
  const times = { createdAt: now, updatedAt: now, expiresAt: now + 60_000 };
  await first.tasks.add({ ...task, ...times, status: "working" });
  const changed = first.tasks.watch?.(id, AbortSignal.timeout(60_000));
  expect(await second.tasks.requestCancel?.(id, "ann")).toBe(true);
  await changed;
  expect(await first.tasks.get(id)).toMatchObject({ cancelRequestedBy: "ann" });
});

test("limits are those of the command line, otherwise of the configuration", async () => {
  const { config } = notes({ serve: { maxStreams: 1, maxSessions: 5 } });
  const { url } = await served("--config", config, "--max-calls-per-minute", "1");
  const listen = (): Promise<Response> =>
    ask(url, "subscriptions/listen", { notifications: { toolsListChanged: true } });
  const stream = await listen();
  onTestFinished(() => stream.body?.cancel());
  expect([stream.status, (await listen()).status]).toEqual([200, 429]);
  const call = (): Promise<string> =>
    readText(ask(url, "tools/call", { name: "notes__read_notes", arguments: {} }));
  expect(await call()).toContain("Milk.");
  expect(await call()).toContain("its limit of 1 calls per minute");
});

test.each([
  [["--http", "--max-streams", "0"], "--max-streams must be a whole number, 1 or more."],
  [["--max-sessions", "3"], "--max-sessions applies to --http only"],
  [["--grace", "soon"], "--grace must be a number of milliseconds"],
])("serve %j is refused", async (words, message) => {
  const { code, stderr } = await runCommand(["serve", "--config", notes().config, ...words]);
  expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
});

test("an invalid limit of the configuration is refused with its place", async () => {
  const { config } = notes({ serve: { maxSession: 3, maxStreams: 0 } });
  const { code, stderr } = await runCommand(["serve", "--config", config]);
  expect(code).toBe(2);
  expect(stderr).toContain('Did you mean "maxSessions"?');
  expect(stderr).toMatch(/"maxStreams" .*1/);
});
