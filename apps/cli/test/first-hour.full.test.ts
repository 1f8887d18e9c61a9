import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { notesCommand } from "./support/notes.ts";
import { openPetShop, type PetShop } from "./support/pet-shop.ts";
import { tempFolder } from "./support/temp-file.ts";
import { openTerminal, pathWithToolweave } from "./support/terminal.ts";

let shop: PetShop;
beforeAll(async () => void (shop = await openPetShop()));
afterAll(() => shop.close());

test("a person goes from an empty folder to tools in two hosts, in a terminal", async () => {
  const [folder, home] = [tempFolder(), tempFolder()];
  const env = { HOME: home, PATH: pathWithToolweave(), PS1: "READY> " };
  const { type, until } = openTerminal("sh -i", folder, env);
  const enter = async (line: string): Promise<void> => {
    type(`${line}\n`);
    // The terminal echoes it.
    await until("\n");
  };
  await until("READY> ");

  await enter("toolweave init");
  await until("1, 2 or 3 (Enter: none): ");
  type("1\n");
  await until("URL or file: ");
  type(`${shop.documentUrl}\n`);
  await until("(Enter: none): ");
  type("\n");
  await until("(Enter: done): ");
  type("\n");
  expect(await until("READY> ")).toContain("Added local with 8 tools.");

  await enter(`toolweave add --name notes "${notesCommand}"`);
  await until("(Enter: none): ");
  type("\n");
  expect(await until("READY> ")).toContain("Added notes with 2 tools.");

  await enter("toolweave inspect");
  expect(await until("READY> ")).toContain("10 tools, no problems");

  await enter("toolweave call get_pet id=7");
  expect(await until("READY> ")).toContain("7");

  await enter("toolweave serve");
  const hello = {
    protocolVersion: "2025-06-18",
    capabilities: {},
    clientInfo: { name: "t", version: "1" },
  };
  type(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params: hello })}\n`);
  await until('"serverInfo"');
  type("\u0003");
  await until("READY> ");

  for (const [host, file] of [
    ["cursor", ".cursor/mcp.json"],
    ["codex", ".codex/config.toml"],
  ] as const) {
    await enter(`toolweave install ${host}`);
    expect(await until("Write this change? [y/N] ")).toContain(join(folder, "toolweave.json"));
    type("y\n");
    await until("READY> ");
    expect(readFileSync(join(home, file), "utf8")).toContain("toolweave");
  }
  type("exit\n");
});

test("Ctrl-C in a terminal ends init with 130, and no file is written", async () => {
  const folder = tempFolder();
  const env = { HOME: tempFolder(), PATH: pathWithToolweave(), PS1: "READY> " };
  const { type, until } = openTerminal("sh -i", folder, env);
  await until("READY> ");
  type("toolweave init\n");
  await until("(Enter: none): ");
  type("\u0003");
  await until("READY> ");
  type("echo code=$?\n");
  expect(await until("code=130")).toContain("code=");
  expect(existsSync(join(folder, "toolweave.json"))).toBe(false);
  expect(spawnSync("ls", ["-A", folder]).stdout.toString()).toBe("");
});
