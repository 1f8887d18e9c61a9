import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ToolExecutor, ToolRegistry } from "@toolweave/core";
import { mcpSource } from "@toolweave/mcp";
import { compileCache } from "@toolweave/test-support";
import { expect, onTestFinished, test } from "vitest";
import { awaitEnd, runBin, startBin } from "./support/run-bin.ts";
import { tempStore } from "./support/temp-file.ts";
import { createFolder, greeter, toolCode } from "./support/tool-module.ts";

const main = fileURLToPath(new URL("../src/main.ts", import.meta.url));

test("serve ends with 4 and the problems if no source could be loaded", async () => {
  const missing = join(createFolder({}), "gone.mjs");
  // The input stays open: no client has disconnected.
  const child = startBin(["serve", missing]);
  onTestFinished(() => void child.kill("SIGKILL"));
  const { code, stdout, stderr } = await awaitEnd(child);
  expect({ code, stdout }).toEqual({ code: 4, stdout: "" });
  expect(stderr).toContain("gone.mjs cannot be read (ENOENT)");
  expect(stderr).toContain("Nothing can be served");
  expect(stderr).not.toContain("Serving");
  expect((await runBin(["serve", missing, "--http", "0"])).code).toBe(4);
});

test("serve prints what it serves and to whom", async () => {
  const folder = createFolder({ "tools.mjs": greeter("Hello") });
  const child = startBin(["serve", "tools.mjs", "gone.mjs"], { cwd: folder });
  onTestFinished(() => void child.kill("SIGKILL"));
  let printed = "";
  while (!printed.includes("Serving")) printed += String((await once(child.stderr, "data"))[0]);
  child.stdin.end();
  await awaitEnd(child);
  expect(printed).toContain(
    "toolweave: Serving 1 tool of tools.mjs (1 source failed) over stdio, to the program that started this command.",
  );
});

test("with --token-env, serve names the variable of the token", async () => {
  const folder = createFolder({ "tools.mjs": greeter("Hello") });
  const child = startBin(["serve", "tools.mjs", "--http", "0", "--token-env", "GATE"], {
    cwd: folder,
    env: { GATE: "0123456789abcdef0123" },
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let printed = "";
  while (!printed.includes("Serving")) printed += String((await once(child.stderr, "data"))[0]);
  child.kill("SIGTERM");
  await awaitEnd(child);
  expect(printed).toMatch(
    /Serving 1 tool of tools\.mjs to clients that send the token of GATE, at http:\/\/127\.0\.0\.1:\d+\/mcp\n/,
  );
});

test("with --watch, a changed module and the files that it imports are loaded again", async () => {
  const folder = createFolder({
    "lib/greeting.mjs": 'export const greeting = "Hello";',
    "tools.mjs": `import { greeting } from "./lib/greeting.mjs";
      export const greet = ${toolCode("greet", "() => greeting")};`,
  });
  const source = mcpSource({
    name: "gateway",
    prefix: false,
    command: process.execPath,
    args: ["--conditions=@toolweave/source", main, "serve", join(folder, "tools.mjs"), "--watch"],
    env: { ...compileCache, TOOLWEAVE_STORE: tempStore() },
    trustAnnotations: true,
  });
  onTestFinished(() => source.close());
  await source.ready;
  const executor = new ToolExecutor({ registry: new ToolRegistry([source]) });
  let calls = 0;
  const greet = async (): Promise<unknown> => {
    calls += 1;
    const outcome = await executor.execute({ id: `call_${calls}`, name: "greet", arguments: {} });
    return outcome.status === "completed" ? outcome.result.content[0] : outcome;
  };
  expect(await greet()).toMatchObject({ text: "Hello" });

  // The code of an imported file: no description changes.
  writeFileSync(join(folder, "lib/greeting.mjs"), 'export const greeting = "Bonjour";');
  await expect.poll(greet, { timeout: 60_000 }).toMatchObject({ text: "Bonjour" });

  // The list of the tools: clients are notified.
  const changed = new Promise<void>((resolve) => void source.onChange(resolve));
  writeFileSync(
    join(folder, "tools.mjs"),
    `export const wave = ${toolCode("wave", "() => 'bye'")};`,
  );
  await changed;
  expect(source.tools().map(({ spec }) => spec.name)).toContain("wave");
});

test("a module that is broken while it is watched keeps its tools, and serve prints why", async () => {
  const folder = createFolder({ "tools.mjs": greeter("Hello") });
  const child = startBin(["serve", "tools.mjs", "--watch"], { cwd: folder });
  onTestFinished(() => void child.kill("SIGKILL"));
  let printed = "";
  while (!printed.includes("Serving")) printed += String((await once(child.stderr, "data"))[0]);
  writeFileSync(join(folder, "tools.mjs"), "export const = 1;");
  while (!printed.includes("cannot be loaded"))
    printed += String((await once(child.stderr, "data"))[0]);
  child.stdin.end();
  await awaitEnd(child);
  expect(printed).toContain("so its tools stay as they were");
});

test("--watch needs a module that the user has named", async () => {
  const folder = createFolder({ "toolweave.json": '{"tools": ["./tools.mjs"]}' });
  const { code, stderr } = await runBin(["serve", "--openapi", "api.json", "--watch"], {
    cwd: folder,
  });
  expect([code, stderr.includes("--watch reloads modules")]).toEqual([2, true]);
});
