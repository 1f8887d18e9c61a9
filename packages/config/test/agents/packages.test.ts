import { dirname } from "node:path";
import { lockOf } from "@toolweave/config";
import type { ToolEvent } from "@toolweave/core";
import { expect, test } from "vitest";
import { agentsFile, asked, bookshop, install, saidBy } from "../support/agent-folder.ts";
import { configFile, folderWith } from "../support/config-file.ts";
import { modelServer, turns } from "../support/model-server.ts";

const clerk = { description: "Finds books.", system: "You know every book.", tools: [] };

test("a missing package is named with the command that installs it, when the agent is called", async () => {
  const server = await modelServer(turns("Shelf 3."));
  const model = { provider: "@ai-sdk/acme", name: "acme", baseURL: server.url, model: "m" };
  const path = configFile({ agents: { clerk: { ...clerk, model } } });
  const { config, executor } = await bookshop(path);
  expect(config.registry.problems).toEqual([]);
  const outcome = await asked(executor, "clerk", "Emma?");
  expect(outcome).toMatchObject({ error: { code: "unavailable", retryable: false } });
  expect(saidBy(outcome)).toContain("run `npm install @ai-sdk/acme` there");
  // The path of the host's files is private.
  expect(saidBy(outcome)).not.toContain(dirname(path));
  install(dirname(path), "@ai-sdk/acme");
  expect(saidBy(await asked(executor, "clerk", "Emma?"))).toBe("Shelf 3.");
});

test("a key is in no answer, error, cause or event, if the provider quotes it", async () => {
  const key = "house-key-0123456789";
  const server = await modelServer(() => ({ status: 401, message: `Wrong API key: ${key}` }));
  const quoting = await modelServer(turns(`The key is ${key}.`));
  const model = { baseURL: server.url, apiKey: "${KEY}", model: "m" };
  const path = agentsFile({
    clerk: { ...clerk, model },
    teller: { ...clerk, model: { ...model, baseURL: quoting.url } },
  });
  const events: ToolEvent[] = [];
  const { executor } = await bookshop(path, { env: { KEY: key } }, { eventPayloads: true });
  executor.on((event) => events.push(event));
  const refused = await asked(executor, "clerk", "Emma?");
  expect(refused).toMatchObject({ error: { code: "upstream" } });
  expect(saidBy(refused)).toContain("HTTP 401");
  const quoted = await asked(executor, "teller", "Your key?");
  expect(saidBy(quoted)).toBe("The key is [redacted].");
  const { error } = refused as { readonly error: Error };
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    const { responseBody, data } = cause as { responseBody?: unknown; data?: unknown };
    const all = [cause.message, cause.stack, String(responseBody), JSON.stringify(data)];
    expect(all.join("\n")).not.toContain(key);
  }
  expect(events.length).toBeGreaterThan(3);
  expect(JSON.stringify([events, refused, quoted])).not.toContain(key);
  expect(server.requests[0]?.authorization).toBe(`Bearer ${key}`);
});

/** A package in a folder, with its exports. */
const packaged = (module: string): Readonly<Record<string, string>> => ({
  "node_modules/@ai-sdk/acme/package.json": JSON.stringify({
    name: "@ai-sdk/acme",
    type: "module",
    exports: "./index.js",
  }),
  "node_modules/@ai-sdk/acme/index.js": module,
});

test.each([
  [
    "of an earlier generation",
    `const model = { specificationVersion: "v2", doStream() {} };
     export const createAcme = () => ({ languageModel: () => model });`,
    "the specification v2, and v4 is needed. Install its newest version: npm install @ai-sdk/acme@latest",
  ],
  ["without models", "export const createAcme = () => ({});", "could not be used as a package"],
  ["of something else", "export const acme = 1;", "could not be used as a package of models"],
  ["that throws", 'throw new Error("at home in /home/ada");', "could not be used as a package"],
  [
    "whose key is not set",
    `export const createAcme = () => ({ languageModel: () => ({
       specificationVersion: "v4",
       doStream: async () => {
         throw Object.assign(new Error("Set ACME_API_KEY."), { name: "AI_LoadAPIKeyError" });
       },
     }) });`,
    "Set ACME_API_KEY.",
  ],
])("a package %s is an error that says so", async (_, module, message) => {
  const folder = folderWith({
    ...packaged(module),
    "toolweave.json": JSON.stringify({ agents: { clerk: { ...clerk, model: "acme/m" } } }),
  });
  const { executor } = await bookshop(`${folder}/toolweave.json`);
  const outcome = await asked(executor, "clerk", "Emma?");
  expect(outcome).toMatchObject({ error: { code: "unavailable" }, result: { isError: true } });
  expect(saidBy(outcome)).toContain(message);
  expect(saidBy(outcome)).not.toContain("ada");
});

test("keys that a package reads from the environment are in no output of an executor either", async () => {
  const env = { ACME_API_KEY: "acme-key-0123456789", HOME: "/home/ada-lovelace" };
  const agents = { clerk: { ...clerk, model: "acme/m" } };
  const { config } = await bookshop({ agents }, { env });
  expect(config.secrets).toEqual(["acme-key-0123456789"]);
  const model = { provider: "@ai-sdk/acme", model: "m", apiKey: "written-0123456789" };
  const written = await bookshop({ agents: { clerk: { ...clerk, model } } }, { env });
  expect(written.config.secrets).toEqual(["written-0123456789"]);
});

test("an agent that has changed since it was locked is omitted", async () => {
  const agents = { clerk: { ...clerk, model: "acme/m" } };
  const before = await bookshop({ agents });
  const entries = [...before.config.registry.toolset().entries()];
  const lock = lockOf(entries.filter(({ source }) => source === "clerk"));
  const same = await bookshop({ agents }, { lock });
  expect(same.config.registry.get("clerk")).toBeDefined();
  const changed = { clerk: { ...agents.clerk, description: "Finds books. And sells them." } };
  const after = await bookshop({ agents: changed }, { lock });
  expect(after.config.registry.get("clerk")).toBeUndefined();
  expect(after.config.registry.problems[0]?.message).toContain("And sells them.");
});
