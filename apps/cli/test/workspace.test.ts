import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ToolExecutor, ToolRegistry, type JsonObject, type ToolOutcome } from "@toolweave/core";
import { mcpSource } from "@toolweave/mcp";
import { compileCache } from "@toolweave/test-support";
import { expect, onTestFinished, test } from "vitest";
import { project } from "./support/project.ts";
import { tempStore } from "./support/temp-file.ts";
import { toolCode } from "./support/tool-module.ts";

const main = fileURLToPath(new URL("../src/main.ts", import.meta.url));

test("--workspace calls the tools for a folder: what only reads runs at once, and what writes waits", async () => {
  const { run, folder, write } = project();
  write("ws/a.txt", "text");
  const call = (command: string): ReturnType<typeof run> =>
    run(["call", "--workspace", "ws", "bash", `command=${command}`]);
  expect(await call("cat a.txt")).toMatchObject({ code: 0, stdout: "text\n" });
  const waiting = await call("touch b.txt");
  expect(waiting.code).toBe(3);
  expect(waiting.stderr).toContain("Run touch b.txt (touch changes files)");
  expect(waiting.stderr).toMatch(/risk medium, sandbox \w+/);
  const [id = ""] = /[0-9a-f]{8}-[0-9a-f-]{27}/.exec(waiting.stderr) ?? [];
  expect(existsSync(join(folder, "ws/b.txt"))).toBe(false);
  expect((await run(["approvals", "approve", id])).code).toBe(0);
  expect(existsSync(join(folder, "ws/b.txt"))).toBe(true);
});

test("--policy allows what the policy of --workspace has no opinion about, and can only restrict its commands", async () => {
  const { run, folder, write } = project();
  write("ws/a.txt", "text");
  const allow = { effect: "allow", tools: ["write_file", "wipe"] };
  write("rules.json", JSON.stringify({ rules: [allow] }));
  write("tools.mjs", `export default ${toolCode("wipe", "() => 1", false)};`);
  const module = join(folder, "tools.mjs");
  const decide = async (
    policy: readonly string[],
    ...words: readonly string[]
  ): Promise<string> => {
    const { stdout } = await run([
      ...["policy", "explain", "--workspace", "ws", "--tools", module, ...policy, ...words],
    ]);
    return /(runs|asks|denied)/.exec(stdout)?.[1] ?? stdout;
  };
  const calls = [
    ["bash", "command=ls"],
    ["bash", "command=touch b"],
    ["write_file", "path=b", "content="],
    ["wipe"],
  ];
  const decideAll = async (...policy: readonly string[]): Promise<string> =>
    (await Promise.all(calls.map((words) => decide(policy, ...words)))).join(" ");
  expect(await decideAll()).toBe("runs asks asks asks");
  expect(await decideAll("--policy", join(folder, "rules.json"))).toBe("runs asks runs runs");
  expect(await decideAll("--policy", "autonomous")).toBe("runs runs runs runs");
  expect(await decideAll("--policy", "readOnly")).toBe("denied denied denied denied");
});

test("serve --workspace is an MCP server whose calls a person approves through the client", async () => {
  const store = tempStore();
  const root = join(store, "..", "ws");
  mkdirSync(root, { recursive: true });
  writeFileSync(join(root, "a.txt"), "one\r\ntwo\r\n");
  const asked: string[] = [];
  const source = mcpSource({
    name: "workspace",
    prefix: false,
    command: process.execPath,
    args: ["--conditions=@toolweave/source", main, "serve", "--workspace", root],
    env: { ...compileCache, TOOLWEAVE_STORE: store },
    trustAnnotations: true,
    onElicitation: ({ message }: { readonly message: string }) => {
      asked.push(message);
      return { action: "accept", content: { decision: "approve" } };
    },
  });
  onTestFinished(() => source.close());
  const executor = new ToolExecutor({
    registry: new ToolRegistry([source]),
    onAsk: () => ({ approved: true }),
  });
  const run = executor.startRun();
  let calls = 0;
  const call = (name: string, args: JsonObject): Promise<ToolOutcome> =>
    run.execute({ id: `${(calls += 1)}`, name, arguments: args });
  expect((await call("read_file", { path: "a.txt" })).ok).toBe(true);
  const edits = [{ old: "two", new: "2" }];
  expect((await call("edit_file", { path: "a.txt", edits })).ok).toBe(true);
  // The file was read in this session, so that it may be overwritten.
  expect((await call("write_file", { path: "a.txt", content: "whole\n" })).ok).toBe(true);
  expect(readFileSync(join(root, "a.txt"), "utf8")).toBe("whole\r\n");
  const outside = await call("read_file", { path: "../x" });
  expect(outside.ok).toBe(false);
  expect(asked.length).toBeGreaterThan(0);
  expect(asked[0]).toContain("Write a.txt");
});
