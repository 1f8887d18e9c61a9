import { ToolExecutor, ToolRegistry, type JsonObject, type ToolOutcome } from "@toolweave/core";
import { describe, expect, test, vi } from "vitest";
import { workspaceTools } from "../../src/index.ts";
import { openWorkspace, readText, type OpenWorkspace } from "../support/open-workspace.ts";
import { processesWith } from "../support/processes.ts";
import { hasSandbox } from "../support/sandbox-level.ts";

const levels = hasSandbox ? (["none", "bwrap"] as const) : (["none"] as const);

function getId({ result }: ToolOutcome): string {
  return /bg_\w+/.exec(JSON.stringify(result?.value))?.[0] ?? "";
}

async function start(
  { call }: OpenWorkspace,
  command: string,
  more: JsonObject = {},
): Promise<string> {
  return getId(await call("bash", { command, background: true, ...more }));
}

describe.each(levels)("a command in the background with the sandbox %s", (sandbox) => {
  const open = (): OpenWorkspace => openWorkspace({}, { sandbox });

  test("runs on after the call, and its new output can be read", async () => {
    const workspace = open();
    const id = await start(workspace, "echo one; until [ -e go ]; do sleep 0.02; done; echo two");
    expect(await workspace.text("bash_output", { id, wait_ms: 20_000 })).toBe(
      "one\n[running; next 4]",
    );
    workspace.write("go", "");
    expect(await workspace.text("bash_output", { id, wait_ms: 20_000 })).toMatch(/^two\n/);
    expect(await workspace.text("bash_output", { id, after: 0, contains: "n" })).toMatch(
      /^one\n\[/,
    );
    await vi.waitFor(
      async () => expect(await workspace.text("bash_output", { id })).toBe("[exit 0; next 8]"),
      60_000,
    );
  });

  test("is ended with all of its processes", async () => {
    const workspace = open();
    const seconds = `8${process.pid}${Date.now() % 1_000}`;
    const id = await start(workspace, `setsid sleep ${seconds} & sleep ${seconds}`);
    await vi.waitFor(() => expect(processesWith(seconds).length).toBeGreaterThan(0), 60_000);
    expect(await workspace.text("bash_kill", { id })).toContain("killed");
    await vi.waitFor(() => expect(processesWith(seconds)).toEqual([]), 60_000);
  });

  test("ends with the time that it was given", async () => {
    const workspace = open();
    const id = await start(workspace, "sleep 300", { timeout_ms: 50 });
    await vi.waitFor(
      async () =>
        expect(await workspace.text("bash_output", { id, wait_ms: 5_000 })).toContain(
          "timed out after 0.05 s and was killed",
        ),
      { timeout: 20_000 },
    );
  });
});

test("a command in the background cannot be read by another caller", async () => {
  const { root } = openWorkspace();
  const registry = new ToolRegistry([workspaceTools({ root, sandbox: "none" })]);
  const executor = new ToolExecutor({ registry, policy: "autonomous" });
  const callAs = (caller: string, name: string, args: JsonObject): Promise<ToolOutcome> =>
    executor
      .startRun({ caller: { id: caller }, sessionId: "s" })
      .execute({ id: "1", name, arguments: args });
  const started = await callAs("ann", "bash", { command: "echo secret", background: true });
  const id = getId(started);
  const other = await callAs("bob", "bash_output", { id });
  expect(other.error?.message).toContain("There is no command");
  expect(readText(await callAs("ann", "bash_output", { id, wait_ms: 20_000 }))).toContain("secret");
  await registry.close();
});

test("commands in the background end with the workspace", async () => {
  const { root } = openWorkspace();
  const registry = new ToolRegistry([workspaceTools({ root, sandbox: "none" })]);
  const executor = new ToolExecutor({ registry, policy: "autonomous" });
  const seconds = `7${process.pid}${Date.now() % 1_000}`;
  // The shell stays: with its end, what it has started ends, too.
  const command = `setsid sleep ${seconds} & sleep ${seconds}`;
  await executor.execute({ id: "1", name: "bash", arguments: { command, background: true } });
  await vi.waitFor(() => expect(processesWith(seconds).length).toBeGreaterThan(0), 60_000);
  await registry.close();
  // A process that was killed is listed until the system has removed it.
  await vi.waitFor(() => expect(processesWith(seconds)).toEqual([]), 60_000);
});

test("a session has 16 commands in the background at most, and a caller 32 in all of its sessions", async () => {
  const { root } = openWorkspace();
  const registry = new ToolRegistry([workspaceTools({ root, sandbox: "none" })]);
  const executor = new ToolExecutor({ registry, policy: "autonomous" });
  const call = (caller: string, sessionId: string, name: string, args: JsonObject) =>
    executor
      .startRun({ caller: { id: caller }, sessionId })
      .execute({ id: "1", name, arguments: args });
  const startIn = (caller: string, session: string) =>
    call(caller, session, "bash", { command: "sleep 300", background: true });
  const first = await startIn("ann", "a");
  for (let count = 1; count < 16; count++) expect((await startIn("ann", "a")).ok).toBe(true);
  expect((await startIn("ann", "a")).error).toMatchObject({
    code: "limit_exceeded",
    message:
      "16 commands of this session run in the background, which is the maximum. End one with bash_kill.",
  });
  for (let count = 0; count < 16; count++) expect((await startIn("ann", "b")).ok).toBe(true);
  expect((await startIn("ann", "c")).error).toMatchObject({
    code: "limit_exceeded",
    message:
      "32 commands of this caller run in the background, which is the maximum. End one with bash_kill in the session that has started it.",
  });
  // Another caller has a limit of its own, and one that has ended makes room.
  expect((await startIn("bob", "c")).ok).toBe(true);
  await call("ann", "a", "bash_kill", { id: getId(first) });
  expect((await startIn("ann", "c")).ok).toBe(true);
  await registry.close();
});

test("the output of a caller is not forgotten for the many commands of another one", async () => {
  const { root } = openWorkspace();
  const registry = new ToolRegistry([workspaceTools({ root, sandbox: "none" })]);
  const executor = new ToolExecutor({ registry, policy: "autonomous" });
  const call = (caller: string, name: string, args: JsonObject) =>
    executor
      .startRun({ caller: { id: caller }, sessionId: "s" })
      .execute({ id: "1", name, arguments: args });
  const run = async (caller: string): Promise<string> => {
    const id = getId(await call(caller, "bash", { command: "echo kept", background: true }));
    const ended = { id, wait_ms: 20_000, after: 5 };
    await vi.waitFor(async () =>
      expect(readText(await call(caller, "bash_output", ended))).toContain("exit 0"),
    );
    return id;
  };
  const id = await run("ann");
  for (let count = 0; count < 70; count++) await run("bob");
  expect(readText(await call("ann", "bash_output", { id, after: 0 }))).toContain("kept");
  await registry.close();
});
