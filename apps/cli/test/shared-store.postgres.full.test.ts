import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ToolExecutor, ToolRegistry } from "@toolweave/core";
import { mcpSource } from "@toolweave/mcp";
import { compileCache } from "@toolweave/test-support";
import { describe, expect, inject, onTestFinished, test } from "vitest";
import { runCli } from "../src/program.ts";
import { captureIo } from "./support/captured-io.ts";
import { testDatabase, testKey } from "./support/database.ts";
import { guardedServer } from "./support/guarded-server.ts";
import { runBin, runShell, type BinResult } from "./support/run-bin.ts";
import { idIn, runIn } from "./support/run-cli.ts";
import { tempFolder, tempStore } from "./support/temp-file.ts";
import { createFolder, toolCode } from "./support/tool-module.ts";

const main = fileURLToPath(new URL("../src/main.ts", import.meta.url));

/** A module whose only tool notes each call in a file of its own. */
const noting = (file: string): string =>
  `import { appendFileSync } from "node:fs";
   export const note = ${toolCode("note", `(args) => { appendFileSync(${JSON.stringify(file)}, args.name + "\\n"); return "noted " + args.name; }`, false)};`;

/** A folder with a configuration whose store is a database. */
function projectWith(
  store: string,
  more: object = {},
): { folder: string; config: string; notes: () => string } {
  const notes = join(tempFolder(), "notes.txt");
  writeFileSync(notes, "");
  const folder = createFolder({
    "tools.mjs": noting(notes),
    "toolweave.json": JSON.stringify({ tools: ["./tools.mjs"], store, ...more }),
  });
  return {
    folder,
    config: join(folder, "toolweave.json"),
    notes: () => readFileSync(notes, "utf8"),
  };
}

/** The command that a process has printed, exactly as a person would copy it. */
function printed({ stderr }: BinResult, command: string): string {
  const line = new RegExp(`^  (toolweave approvals ${command} .*)$`, "m").exec(stderr)?.[1];
  if (line === undefined) throw new Error(`It printed no such command: ${stderr}`);
  return line;
}

describe.skipIf(inject("postgresUrl") === undefined)("a store in PostgreSQL", () => {
  test("a call waits in one process; another with another folder approves it, and it runs once", async () => {
    const { written, env, password, url } = await testDatabase();
    const { config, notes } = projectWith(written);
    const waits = await runBin(["call", "note", "name=eggs", "--config", config], { env });
    expect(waits).toMatchObject({ code: 3, stdout: "" });
    const approve = printed(waits, "approve");
    expect(approve).toContain("--store 'postgres://");
    expect(waits.stderr).toContain("TOOLWEAVE_KEY, and the variables of the store, must have");
    for (const secret of [password, encodeURIComponent(password), url]) {
      expect(waits.stderr).not.toContain(secret);
    }
    const processes = [1, 2, 3].map(() => runShell(approve, { cwd: tempFolder(), env }));
    const codes = (await Promise.all(processes)).map(({ code }) => code);
    // A process during the other's work is refused; a later one prints the outcome.
    expect(codes).toContain(0);
    expect(codes.filter((code) => code !== 0 && code !== 3)).toEqual([]);
    expect(notes()).toBe("eggs\n");
    const again = await runShell(approve, { cwd: tempFolder(), env });
    expect(again).toMatchObject({ code: 0, stdout: "noted eggs\n" });
    expect(notes()).toBe("eggs\n");
  });

  test("a store of TOOLWEAVE_STORE needs no option in the command that approves", async () => {
    const { url, env, query } = await testDatabase();
    const { folder, notes } = projectWith(".toolweave");
    const run = runIn(url, env);
    const call = ["call", "note", "name=milk", "--tools", join(folder, "tools.mjs")];
    const waits = await run(call);
    expect(waits.stderr).toContain("TOOLWEAVE_STORE and TOOLWEAVE_KEY must have the same values");
    expect(waits.stderr).not.toContain("--store");
    const listed = await run(["approvals", "list"]);
    expect(listed).toMatchObject({
      code: 0,
      stderr: "",
      stdout: expect.stringContaining("1 pending in "),
    });
    const rejected = await run(["approvals", "reject", idIn(waits)]);
    expect([rejected.code, notes()]).toEqual([0, ""]);
    const [row] = await query("SELECT count(*) AS decisions FROM toolweave.audit");
    expect(Number(row?.["decisions"])).toBeGreaterThan(0);
  });

  test("grants of one process count in another, and can be revoked there", async () => {
    const { written, env } = await testDatabase();
    const { config, notes } = projectWith(written);
    const call = ["call", "note", "name=bread", "--config", config];
    const run = runIn(tempStore(), env);
    const waits = await run(call);
    const store = ["--store", written];
    const approved = await run(["approvals", "approve", idIn(waits), "--always", ...store]);
    expect(approved.code).toBe(0);
    const [, grant = ""] = /approvals revoke (\S+) --store/.exec(approved.stderr) ?? [];
    expect(await run(call)).toMatchObject({ code: 0, stdout: "noted bread\n" });
    expect((await run(["approvals", "revoke", grant, ...store])).code).toBe(0);
    expect((await run(call)).code).toBe(3);
    expect(notes()).toBe("bread\nbread\n");
  });

  test("tokens of a sign-in are read by another process, and are encrypted", async () => {
    const { written, env, query } = await testDatabase();
    const { url } = await guardedServer();
    const servers = { mcpServers: { museum: { url } }, store: written };
    const config = join(
      createFolder({ "toolweave.json": JSON.stringify(servers) }),
      "toolweave.json",
    );
    const { io, said, stderr } = captureIo({ env });
    const login = runCli(["login", "museum", "--config", config], io);
    await said("Waiting for the redirect of the browser");
    const [, address = ""] = /^ {2}(http\S+)$/m.exec(stderr()) ?? [];
    await (await fetch(address)).text();
    expect(await login).toBe(0);
    const other = join(
      createFolder({ "toolweave.json": JSON.stringify(servers) }),
      "toolweave.json",
    );
    const call = ["call", "museum__ask", "--yes", "--config", other];
    expect(await runBin(call, { env })).toMatchObject({ code: 0, stdout: "Signed in.\n" });
    const [row] = await query("SELECT count(*) AS tokens FROM toolweave.credentials");
    expect(Number(row?.["tokens"])).toBeGreaterThan(0);
    const without = await runBin(call, { env: { ...env, TOOLWEAVE_KEY: "" } });
    expect(without.code).toBe(4);
    expect(without.stderr).toContain("set TOOLWEAVE_KEY to the same value");
    const rotated = { ...env, TOOLWEAVE_KEY: "n".repeat(32), TOOLWEAVE_OLD_KEYS: testKey };
    expect(await runBin(call, { env: rotated })).toMatchObject({ code: 0 });
  });

  test("after a rotation of the key, a call that waits is answered with the former one", async () => {
    const { written, env } = await testDatabase();
    const { config, notes } = projectWith(written);
    const waits = await runIn(tempStore(), env)(["call", "note", "name=eggs", "--config", config]);
    const approve = ["approvals", "approve", idIn(waits), "--store", written];
    const key = { TOOLWEAVE_KEY: "n".repeat(32) };
    const forgotten = await runIn(tempStore(), { ...env, ...key })(approve);
    expect([forgotten.code, notes()]).toEqual([3, ""]);
    const rotated = runIn(tempStore(), { ...env, ...key, TOOLWEAVE_OLD_KEYS: testKey });
    const always = await rotated([...approve, "--always"]);
    expect([always.code, notes()]).toEqual([2, ""]);
    expect(always.stderr).toContain("leave out --always");
    expect(await rotated(approve)).toMatchObject({ code: 0, stdout: "noted eggs\n" });
    expect(await rotated(approve)).toMatchObject({ code: 0, stdout: "noted eggs\n" });
    expect(notes()).toBe("eggs\n");
  });

  test("a call of a gateway waits, and another machine approves it", async () => {
    const { written, env } = await testDatabase();
    const { config, notes } = projectWith(written);
    const gateway = mcpSource({
      name: "gateway",
      prefix: false,
      trustAnnotations: true,
      command: process.execPath,
      args: ["--conditions=@toolweave/source", main, "serve", "--config", config].concat([
        "--approvals",
        "out-of-band",
      ]),
      env: { ...compileCache, ...env },
    });
    onTestFinished(() => gateway.close());
    await gateway.ready;
    const registry = new ToolRegistry([gateway]);
    const executor = new ToolExecutor({ registry, onAsk: () => ({ approved: true }) });
    const called = await executor.execute({ id: "1", name: "note", arguments: { name: "tea" } });
    const [, id = ""] =
      /toolweave approvals approve (\S+) --store/.exec(JSON.stringify(called)) ?? [];
    const approved = await runIn(
      tempStore(),
      env,
    )(["approvals", "approve", id, "--store", written]);
    expect(approved).toMatchObject({ code: 0, stdout: "noted tea\n" });
    expect(notes()).toBe("tea\n");
  });

  test("memory and schedules of a configuration are in the database", async () => {
    const { written, env, query } = await testDatabase();
    const builtin = { memory: true, schedule: true };
    const { config } = projectWith(written, { builtin, policy: "autonomous" });
    const run = runIn(tempStore(), env);
    const tool = ["tool=note", 'arguments={"name":"tea"}', "after_s=3600"];
    expect((await run(["call", "schedule_add", ...tool, "--config", config])).code).toBe(0);
    const [row] = await query("SELECT count(*) AS jobs FROM toolweave.schedules");
    expect(row).toEqual({ jobs: "1" });
    const due = await run(["schedule", "run", "--once", "--config", config]);
    expect(due).toMatchObject({ code: 0, stderr: "toolweave: 0 calls due.\n" });
  });

  test("without a key, a call that has to wait fails, and the error teaches what to set", async () => {
    const { written, env } = await testDatabase();
    const { config, notes } = projectWith(written);
    const run = runIn(tempStore(), { ...env, TOOLWEAVE_KEY: "" });
    const waits = await run(["call", "note", "name=x", "--config", config]);
    expect(waits.code).toBe(1);
    expect(waits.stderr).toContain("set TOOLWEAVE_KEY to the same value of at least 32 bytes");
    expect(waits.stderr).toContain("openssl rand -base64 32");
    const yes = await run(["call", "note", "name=x", "--yes", "--config", config]);
    expect([yes.code, notes()]).toEqual([0, "x\n"]);
    const served = await run(["serve", "--config", config]);
    expect(served.code).toBe(1);
    expect(served.stderr).toContain("set TOOLWEAVE_KEY");
  });

  test("a wrong password never appears in output", async () => {
    const { written, env, location, password } = await testDatabase();
    const { config } = projectWith(written);
    const wrong = "s3cret/wrong@password";
    const run = runIn(tempStore(), { ...env, DB_PASSWORD: wrong });
    const commands = [
      ["call", "note", "name=x", "--config", config],
      ["serve", "--config", config],
      ["approvals", "list", "--store", written],
      ["db", "check", "--config", config],
      ["db", "migrate", "--store", written],
      ["db", "prune", "--store", written],
      ["doctor", "--config", config],
    ];
    for (const argv of commands) {
      const { code, stdout, stderr } = await run([...argv, "--verbose"]);
      expect({ argv, code }).toEqual({ argv, code: 1 });
      const all = stdout + stderr;
      expect(all).toContain(`The database ${location} refuses the user or the password`);
      for (const secret of [wrong, encodeURIComponent(wrong), password]) {
        expect(all).not.toContain(secret);
      }
    }
  });
});
