import { existsSync } from "node:fs";
import { join } from "node:path";
import { describeConfig } from "@toolweave/config";
import { ToolExecutor } from "@toolweave/core";
import { expect, test } from "vitest";
import { configFile, folderWith } from "./support/config-file.ts";
import { loaded, refusal } from "./support/echo.ts";

function writeConfig(config: object): string {
  return join(folderWith({ "toolweave.json": JSON.stringify(config) }), "toolweave.json");
}

test("built-in tools are there by group, and what they remember is in the store of the file", async () => {
  const path = writeConfig({
    builtin: {
      web: {
        allow: ["example.com"],
        credentials: { api: { secret: "${API_TOKEN}", hosts: ["example.com"] } },
      },
      browser: { allow: ["*.example.com"] },
      memory: true,
      schedule: { timeZone: "Europe/Berlin" },
      plan: true,
    },
    store: "state",
  });
  const env = { API_TOKEN: "t0ken-of-the-host" };
  const first = await loaded(path, { env });
  expect(first.sources.map(({ kind, name }) => `${kind} ${name}`)).toEqual(
    ["web", "browser", "memory", "schedule", "plan"].map((name) => `builtin ${name}`),
  );
  expect([...first.registry.toolset().names()].join(" ")).toBe(
    "ask_user browser browser_act http_request memory_forget memory_recall memory_store schedule_add schedule_list schedule_remove todo web_fetch",
  );
  expect(first.secrets).toEqual(["t0ken-of-the-host"]);
  expect(await first.schedules?.list("anyone")).toEqual([]);
  const call = async (config: typeof first, name: string, args: object): Promise<string> => {
    const executor = new ToolExecutor({ registry: config.registry, policy: "autonomous" });
    const outcome = await executor.execute({ id: "1", name, arguments: { ...args } });
    return JSON.stringify(outcome.status === "interrupted" ? "" : outcome.result.content);
  };
  await call(first, "memory_store", { key: "colour", content: "green" });
  await first.close();
  expect(existsSync(join(path, "../state/builtin.sqlite"))).toBe(true);
  const second = await loaded(path, { env });
  expect(await call(second, "memory_recall", { query: "colour" })).toContain("green");
});

test("a group that is false is not there, and nothing is stored without need", async () => {
  const path = writeConfig({ builtin: { memory: false, plan: true }, store: "state" });
  const config = await loaded(path);
  expect([...config.registry.toolset().names()]).toEqual(["ask_user", "todo"]);
  expect(config.schedules).toBeUndefined();
  expect(existsSync(join(path, "../state"))).toBe(false);
});

test.each([
  [{ memory: true }, 'memory has to store something: name a folder or a database with "store"'],
  [{ schedule: true }, 'schedule has to store something: name a folder or a database with "store"'],
  [{ web: { allow: ["https://example.com"] } }, "is no host"],
  [{ shell: true }, "shell"],
])("%j is refused", async (builtin, text) => {
  expect(await refusal(writeConfig({ builtin }))).toContain(text);
});

test("trust covers the groups and their options", async () => {
  const parts = async (builtin: object): Promise<readonly string[]> =>
    (await describeConfig(configFile({ builtin, store: "state" }))).parts
      .filter(({ kind }) => kind === "builtin")
      .map(({ text, digest }) => `${text} ${digest.slice(0, 4)}`);
  const before = await parts({ plan: true, browser: { allow: ["example.com"] } });
  expect(before.map((part) => part.slice(0, -5))).toEqual([
    "plan",
    'browser {"allow":["example.com"]}',
  ]);
  expect(await parts({ plan: true, browser: { allow: ["*"] } })).not.toEqual(before);
});
