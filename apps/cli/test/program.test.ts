import { readFileSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { secretary } from "./support/agents.ts";
import { captureIo } from "./support/captured-io.ts";
import { runCli } from "../src/program.ts";
import { notes } from "./support/notes.ts";
import { idIn, runCommand, runIn } from "./support/run-cli.ts";
import { tempStore } from "./support/temp-file.ts";

/** Starts the server with one more argument. */
function addArgument(config: string): void {
  const written = readFileSync(config, "utf8");
  const changed = written.replace('notes-server.mjs"', 'notes-server.mjs", "--all"');
  expect(changed).not.toBe(written);
  writeFileSync(config, changed);
}

test("a pending call is refused as changed if its server has become another program", async () => {
  const { config, written } = notes();
  const run = runIn(tempStore());
  const waiting = await run(["call", "notes__write_note", "text=Eggs", "--config", config]);
  addArgument(config);
  const refused = await run(["approvals", "approve", idIn(waiting)]);
  expect([refused.code, written()]).not.toEqual([0, "Eggs\n"]);
  expect(refused.stderr).toMatch(/notes__write_note has changed/);
  expect(written()).toBe("");
});

test("a grant applies to the program that the tool had when it was given", async () => {
  const { config, written } = notes();
  const store = tempStore();
  const run = runIn(store);
  const { io, stdin, said } = captureIo({ terminal: true, env: { TOOLWEAVE_STORE: store } });
  const call = ["call", "notes__write_note", "text=Eggs", "--config", config];
  const ended = runCli(call, io);
  await said("Run it?");
  stdin.write("always\n");
  await said("Save this and run it?");
  stdin.write("y\n");
  expect(await ended).toBe(0);
  expect((await run(call)).code).toBe(0);
  addArgument(config);
  expect([(await run(call)).code, written()]).toEqual([3, "Eggs\nEggs\n"]);
});

test("inspect --check ends with 1 if a server is another program", async () => {
  const { config } = notes();
  await runCommand(["lock", "--config", config]);
  expect((await runCommand(["inspect", "--check", "--config", config])).code).toBe(0);
  addArgument(config);
  const { code, stdout } = await runCommand(["inspect", "--check", "--config", config]);
  expect(code).toBe(1);
  expect(stdout).toMatch(/^changed {2}notes__read_notes\n {11}program: /);
});

test("a pending call of an agent is refused as changed if the agent has another prompt", async () => {
  const { config, written } = await secretary([{ writes: "Eggs" }, "Noted."]);
  const run = runIn(tempStore());
  const waiting = await run(["call", "secretary", "task=Note the eggs.", "--config", config]);
  writeFileSync(config, readFileSync(config, "utf8").replace("You keep the notes.", "You write."));
  const refused = await run([
    "approvals",
    "resume",
    idIn(waiting),
    "--answer",
    '{"type":"approve"}',
  ]);
  expect(refused.stderr).toMatch(/secretary has changed/);
  expect([refused.code === 0, written()]).toEqual([false, ""]);
});
