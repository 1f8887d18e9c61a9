import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { JsonObject, Toolset } from "@toolweave/core";
import {
  anthropicTools,
  bedrockTools,
  geminiTools,
  openAiChatTools,
  openAiResponsesTools,
  validateTools,
} from "@toolweave/providers";
import { sqliteStore } from "@toolweave/stores";
import { tempFolder } from "@toolweave/test-support/temp-folder";
import { describe, expect, onTestFinished, test } from "vitest";
import { memoryTools, planTools, webTools } from "../src/index.ts";
import { allTools, defaultTools } from "../src/registries.ts";
import { openTools, type OpenTools } from "./support/open-tools.ts";
import { makeModel } from "./support/scripted-model.ts";
import { openServer } from "./support/web-server.ts";

// The behaviour that prompts written for phi-core and ZeroClaw rely on, row by row. Where ours differs, the test says how;
// decision 27 has the reasons.

const files = { "a.txt": "one\ntwo\nthree\ntwo\n" };

function openFolder(): string {
  const root = tempFolder();
  for (const [name, text] of Object.entries(files)) writeFileSync(join(root, name), text);
  return root;
}

function openSchedules() {
  const store = sqliteStore(":memory:");
  onTestFinished(() => store.close());
  return store.schedules;
}

function getProperties({ executor }: OpenTools, name: string): JsonObject {
  return executor.toolset.get(name)?.spec.inputSchema["properties"] as JsonObject;
}

describe("F2.10 the six tools of phi-core", () => {
  const open = (): OpenTools => openTools([defaultTools({ root: openFolder(), sandbox: "none" })]);

  test("bash gives the output and the exit code, and has 120 s; another code than 0 is an error here", async () => {
    const tools = open();
    const { result } = await tools.call("bash", { command: "echo hi; exit 3" });
    expect(result).toMatchObject({ isError: true, content: [{ text: "hi\n[exit 3]" }] });
    expect(JSON.stringify(getProperties(tools, "bash")["timeout_ms"])).toContain("120");
    const found = await tools.call("bash", { command: "grep nothing a.txt" });
    expect(found.result?.isError).toBe(false);
  });

  test("read_file counts lines from 1, with offset and limit, also in files of any size", async () => {
    expect(await open().callText("read_file", { path: "a.txt", offset: 2, limit: 2 })).toBe(
      "[lines 2 to 3 of 4; next offset 4]\n     2\ttwo\n     3\tthree",
    );
  });

  test("write_file says what was written", async () => {
    expect(await open().callText("write_file", { path: "b.txt", content: "xyz" })).toBe(
      "Created b.txt (3 bytes)",
    );
  });

  test("edit_file needs a text that is there once, and says where it is otherwise", async () => {
    const { callText } = open();
    const edit = (old: string): Promise<string> =>
      callText("edit_file", { path: "a.txt", edits: [{ old, new: "2" }] });
    await callText("read_file", { path: "a.txt" });
    expect(await edit("two")).toContain(
      "old is in the file 2 times, and 1 was expected: at lines 2, 4",
    );
    expect(await edit("four")).toContain("old is not in the file");
    expect(await edit("three")).toContain("Made 1 replacement in a.txt, line 3.");
  });

  test("list_files and search are bounded; search regards case unless ignore_case is set", async () => {
    const tools = open();
    expect(await tools.callText("list_files", {})).toContain("a.txt");
    expect(await tools.callText("search", { pattern: "TWO" })).toContain("no match");
    expect(await tools.callText("search", { pattern: "TWO", ignore_case: true })).toContain(
      "a.txt:2:two\na.txt:4:two",
    );
    expect(JSON.stringify(getProperties(tools, "list_files"))).toContain("200");
    expect(JSON.stringify(getProperties(tools, "search"))).toContain("100");
  });
});

describe("F3.4 the lists of ZeroClaw", () => {
  test("all tools are there, under its names or ours", async () => {
    const options = { root: openFolder(), sandbox: "none", model: makeModel(1, "none") } as const;
    const ours = openTools(allTools({ ...options, schedules: openSchedules() }));
    expect([...ours.executor.toolset.names()]).toEqual([
      "bash",
      "bash_kill",
      "bash_output",
      "browser",
      "browser_act",
      "delegate",
      "edit_file",
      "http_request",
      "list_files",
      "memory_forget",
      "memory_recall",
      "memory_store",
      "read_file",
      "schedule_add",
      "schedule_list",
      "schedule_remove",
      "search",
      "web_fetch",
      "write_file",
    ]);
    const theirs = openTools(
      allTools({ ...options, schedules: openSchedules(), names: "zeroclaw" }),
    );
    expect([...theirs.executor.toolset.names()]).toEqual(
      expect.arrayContaining(
        "shell file_read file_write memory_store memory_recall memory_forget http_request web_fetch browser delegate cron_add cron_list cron_remove".split(
          " ",
        ),
      ),
    );
  });
});

describe("F3.16 memory", () => {
  test("has the texts and forms that are specified; what is recalled is framed", async () => {
    const tools = openTools([memoryTools()]);
    const { callText } = tools;
    const entry = { key: "sky", content: "the sky is blue", category: "mine" };
    expect(await callText("memory_store", entry)).toBe("Stored memory: sky");
    expect(await callText("memory_recall", { query: "sky" })).toMatch(
      /^\[data [^\n]*\n- \[mine\] sky: the sky is blue \[\d+%\]\n\[end /,
    );
    expect(await callText("memory_recall", { query: "nothing" })).toBe("No memories found.");
    expect(await callText("memory_forget", { key: "none" })).toBe("No memory found with key: none");
    const { limit, since, until } = getProperties(tools, "memory_recall");
    expect(JSON.stringify([limit, since, until])).toMatch(/Default: 5\..*RFC 3339.*RFC 3339/);
  });

  test("is not changed under a policy that only reads", async () => {
    const { callText } = openTools([memoryTools()], { policy: "readOnly" });
    expect(await callText("memory_store", { key: "k", content: "c" })).toMatch(
      /^(?:permission_denied|not_advertised): /,
    );
  });
});

describe("F3.17 http_request", () => {
  test("without a list of hosts, a person is asked before each; other schemes and user names are refused", async () => {
    const { callText } = openTools([webTools()], { policy: "supervised" });
    expect(await callText("http_request", { url: "https://example.com/" })).toMatch(
      /^interrupted: /,
    );
    const refused = /^(?:permission_denied|invalid_arguments): /;
    for (const url of ["ftp://example.com/", "http://user:password@example.com/"]) {
      expect(await callText("http_request", { url })).toMatch(refused);
    }
  });

  test("gives status, reason, headers and body; cookies are left out; a status of failure can be an error", async () => {
    const server = await openServer((_, response) => {
      response.writeHead(404, { "content-type": "application/json", "set-cookie": "a=b" });
      response.end('{"a":1}');
    });
    const { call } = openTools([webTools({ allowPrivate: [server.host] })]);
    const { result } = await call("http_request", { url: server.origin });
    expect(result?.value).toMatchObject({ status: 404, statusText: "Not Found", json: { a: 1 } });
    expect(JSON.stringify(result)).not.toMatch(/set-cookie|a=b/);
    const strict = openTools([webTools({ allowPrivate: [server.host], failOnStatus: true })]);
    expect((await strict.call("http_request", { url: server.origin })).result?.isError).toBe(true);
  });
});

/** Each provider's form of the tools, with the problems that it has with them. */
function toEveryProvider(toolset: Toolset) {
  const gemini = geminiTools(toolset);
  return {
    openai: openAiChatTools(toolset),
    "openai-strict": openAiResponsesTools(toolset, { strict: true }),
    anthropic: anthropicTools(toolset),
    gemini: { ...gemini, tools: gemini.tools.flatMap((tool) => tool.functionDeclarations) },
    bedrock: bedrockTools(toolset),
  };
}

test("every tool has a form for every provider, which the provider's rules accept", () => {
  const options = { root: openFolder(), sandbox: "none", applyPatch: true } as const;
  const { executor } = openTools([
    ...allTools({ ...options, model: makeModel(1, "none"), schedules: openSchedules() }),
    planTools(),
  ]);
  const { toolset } = executor;
  const sent = toEveryProvider(toolset);
  for (const [provider, { tools, problems }] of Object.entries(sent)) {
    expect([provider, tools.length, problems]).toEqual([provider, toolset.size, []]);
  }
  expect(validateTools("openai", sent.openai.tools)).toEqual([]);
  expect(validateTools("openai", sent["openai-strict"].tools)).toEqual([]);
  expect(validateTools("anthropic", sent.anthropic.tools)).toEqual([]);
  expect(validateTools("gemini", geminiTools(toolset).tools)).toEqual([]);
  expect(validateTools("bedrock", sent.bedrock.tools)).toEqual([]);
});
