import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { JsonObject, ToolResult, ToolSource } from "@toolweave/core";
import {
  anthropicTools,
  bedrockTools,
  geminiTools,
  openAiChatTools,
  openAiResponsesTools,
  validateTools,
} from "@toolweave/providers";
import { tempFolder } from "@toolweave/test-support/temp-folder";
import { describe, expect, it, onTestFinished } from "vitest";
import { connected } from "../support/open-connection.ts";
import { chromium, realServer, realServers } from "../support/real-servers.ts";
import { executorOver, opened } from "../support/open-source.ts";

/** The answer of a tool of a running server; fails if the call did not reach it. */
async function call(source: ToolSource, name: string, args: JsonObject): Promise<ToolResult> {
  await source.ready;
  const outcome = await executorOver(source).execute({ id: "1", name, arguments: args });
  expect(outcome).toMatchObject({ status: "completed" });
  return (outcome as Extract<typeof outcome, { readonly status: "completed" }>).result;
}

function readText({ content }: ToolResult): string {
  return content.map((block) => (block.type === "text" ? block.text : "")).join("");
}

function names(source: ToolSource): readonly string[] {
  return source.tools().map(({ spec }) => spec.name);
}

function newFolder(): string {
  const folder = tempFolder();
  return folder;
}

const versions: Readonly<Record<string, string>> = {
  "@modelcontextprotocol/server-everything": "2025-11-25",
  "@modelcontextprotocol/server-filesystem": "2025-11-25",
  "@modelcontextprotocol/server-memory": "2025-11-25",
  "@modelcontextprotocol/server-sequential-thinking": "2025-11-25",
  "@playwright/mcp": "2025-11-25",
  "@upstash/context7-mcp": "2026-07-28",
  "@bytebase/dbhub": "2026-07-28",
  "@modelcontextprotocol/server-github": "2024-11-05",
};

it.each(Object.keys(versions))("every provider accepts all tools of %s", async (name) => {
  const source = opened(realServer(name, realServers[name]));
  await source.ready;
  const { toolset } = executorOver(source);
  const { tools: gemini } = geminiTools(toolset);
  const lists = [
    ["openai", openAiChatTools(toolset)],
    ["openai", openAiResponsesTools(toolset, { strict: true })],
    ["anthropic", anthropicTools(toolset)],
    ["gemini", geminiTools(toolset)],
    ["bedrock", bedrockTools(toolset)],
  ] as const;
  for (const [provider, { tools, problems }] of lists) {
    expect(problems).toEqual([]);
    expect(validateTools(provider, tools)).toEqual([]);
  }
  expect(toolset.size).toBeGreaterThan(0);
  expect(gemini[0]?.functionDeclarations).toHaveLength(toolset.size);
});

it.each(Object.entries(versions))("%s is used in %s", async (name, version) => {
  const connection = await connected(realServer(name, realServers[name]));
  expect(connection.protocolVersion).toBe(version);
  expect(connection.era).toBe(version < "2026" ? "legacy" : "modern");
});

describe("server-filesystem", () => {
  it("lists its tools, reads and writes files in its folder, and rejects others", async () => {
    const folder = newFolder();
    writeFileSync(join(folder, "note.txt"), "a note\n");
    const source = opened(realServer("@modelcontextprotocol/server-filesystem", [folder]));
    const read = await call(source, "read_text_file", { path: join(folder, "note.txt") });
    expect(read).toMatchObject({ isError: false, value: { content: "a note\n" } });
    expect(names(source)).toHaveLength(14);
    expect(source.problems).toEqual([]);

    const file = join(folder, "new.txt");
    expect(await call(source, "write_file", { path: file, content: "grüße" })).toMatchObject({
      isError: false,
    });
    expect(readFileSync(file, "utf8")).toBe("grüße");
    const outside = await call(source, "read_text_file", { path: "/etc/hostname" });
    expect(outside.isError).toBe(true);
    expect(readText(outside)).toMatch(/access denied/i);
  });

  it("returns an image as an image", async () => {
    const folder = newFolder();
    const pixel =
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
    writeFileSync(join(folder, "dot.png"), Buffer.from(pixel, "base64"));
    const source = opened(realServer("@modelcontextprotocol/server-filesystem", [folder]));
    const media = await call(source, "read_media_file", { path: join(folder, "dot.png") });
    expect(media.content[0]).toMatchObject({ type: "image", mimeType: "image/png", data: pixel });
  });
});

describe("server-memory", () => {
  it("stores entities and finds them again", async () => {
    const file = join(newFolder(), "memory.jsonl");
    const env = { MEMORY_FILE_PATH: file };
    const source = opened(realServer("@modelcontextprotocol/server-memory", [], { env }));
    const emma = { name: "Emma", entityType: "novel", observations: ["of 1815"] };
    expect(await call(source, "create_entities", { entities: [emma] })).toMatchObject({
      isError: false,
      value: { entities: [emma] },
    });
    expect(await call(source, "search_nodes", { query: "1815" })).toMatchObject({
      value: { entities: [emma], relations: [] },
    });
    expect(names(source)).toHaveLength(9);
  });
});

describe("server-sequential-thinking", () => {
  it("counts thoughts", async () => {
    const source = opened(realServer("@modelcontextprotocol/server-sequential-thinking"));
    const thought = { thought: "First things first.", nextThoughtNeeded: true, totalThoughts: 2 };
    await call(source, "sequentialthinking", { ...thought, thoughtNumber: 1 });
    const second = await call(source, "sequentialthinking", { ...thought, thoughtNumber: 2 });
    expect(second).toMatchObject({ value: { thoughtHistoryLength: 2 } });
    expect(names(source)).toEqual(["sequentialthinking"]);
  });
});

describe("playwright", () => {
  const program = chromium();

  it.skipIf(program === undefined)("drives a browser, on a machine that has chromium", async () => {
    const page = createServer((_, answer) => {
      answer.setHeader("content-type", "text/html");
      answer.end(
        `<h1>Museum</h1><button onclick="document.body.append('open')">Enter</button><p id=p></p>`,
      );
    });
    await new Promise<void>((resolve) => page.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void page.close());
    const url = `http://127.0.0.1:${(page.address() as AddressInfo).port}/`;
    const args = ["--headless", "--isolated", "--no-sandbox", "--executable-path", program ?? ""];
    const cwd = newFolder();
    const source = opened(realServer("@playwright/mcp", args, { cwd }));
    await call(source, "browser_navigate", { url });
    const before = readText(await call(source, "browser_snapshot", {}));
    expect(before).toMatch(/heading "Museum"/);
    const [, target = ""] = /button "Enter" \[ref=(\w+)\]/.exec(before) ?? [];
    await call(source, "browser_click", { element: "Enter", target });
    expect(readText(await call(source, "browser_snapshot", {}))).toMatch(/open/);
    const shot = await call(source, "browser_take_screenshot", { type: "png", scale: "css" });
    expect(shot.content.find(({ type }) => type === "image")).toMatchObject({
      mimeType: "image/png",
    });
    expect(names(source)).toHaveLength(25);
    await call(source, "browser_close", {});
  });
});

describe("context7, a server of the protocol of 2026-07-28", () => {
  it("lists its tools, and returns its own error", async () => {
    const source = opened(
      realServer("@upstash/context7-mcp", [], { env: { CONTEXT7_API_URL: "http://127.0.0.1:9" } }),
    );
    const answer = await call(source, "resolve-library-id", {
      libraryName: "react",
      query: "hooks",
    });
    expect(names(source)).toEqual(["query-docs", "resolve-library-id"]);
    // Without the internet it has no data; its own message is the answer.
    expect(readText(answer)).not.toBe("");
  });
});

describe("dbhub, a server of the protocol of 2026-07-28", () => {
  it("queries a database", async () => {
    const dsn = `sqlite://${join(newFolder(), "books.db")}`;
    const source = opened(realServer("@bytebase/dbhub", ["--dsn", dsn]));
    await call(source, "execute_sql", { sql: "create table book (title text)" });
    await call(source, "execute_sql", { sql: "insert into book values ('Emma'), ('Persuasion')" });
    const rows = await call(source, "execute_sql", { sql: "select title from book order by 1" });
    expect(JSON.parse(readText(rows))).toMatchObject({
      success: true,
      data: { statements: [{ rows: [{ title: "Emma" }, { title: "Persuasion" }] }] },
    });
    const tables = await call(source, "search_objects", { object_type: "table" });
    expect(readText(tables)).toContain("book");
    const wrong = await call(source, "execute_sql", { sql: "select * from nowhere" });
    expect(wrong.isError).toBe(true);
    expect(names(source)).toEqual(["execute_sql", "search_objects"]);
  });
});

describe("server-github, a server of the protocol of 2024-11-05", () => {
  it("lists its tools, and a call that cannot reach GitHub fails with its message", async () => {
    const source = opened(realServer("@modelcontextprotocol/server-github"));
    await source.ready;
    expect(names(source)).toHaveLength(26);
    const outcome = await executorOver(source).execute({
      id: "1",
      name: "get_issue",
      arguments: { owner: "toolweave", repo: "there is no such repository", issue_number: 1 },
    });
    expect(outcome).toMatchObject({ status: "failed", error: { code: "upstream" } });
  });
});
