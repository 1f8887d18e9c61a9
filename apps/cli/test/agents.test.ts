import { expect, test } from "vitest";
import { runCli } from "../src/program.ts";
import { secretary } from "./support/agents.ts";
import { captureIo } from "./support/captured-io.ts";
import { notesServer } from "./support/notes.ts";
import { idIn, runCommand, runIn } from "./support/run-cli.ts";
import { tempStore } from "./support/temp-file.ts";

const task = "task=Note the eggs.";

test("inspect lists the agents of a configuration among the tools", async () => {
  const { config } = await secretary([]);
  const { code, stdout, stderr } = await runCommand(["inspect", "--config", config]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toMatch(/^secretary +subagent .*Keeps the notes\.$/m);
});

test("call gives an agent a task and prints its answer", async () => {
  const { config, requests } = await secretary([{ reads: true }, "There is milk."]);
  const ended = await runCommand(["call", "secretary", "task=What is there?", "--config", config]);
  expect(ended).toEqual({ code: 0, stdout: "There is milk.\n", stderr: "" });
  expect(requests[0]?.messages.at(-1)?.content).toContain("What is there?");
  expect(requests[1]?.messages.at(-1)?.content).toBe("Milk.");
});

test("a write of an agent is asked about in the terminal, and runs if it is approved", async () => {
  const { config, written } = await secretary([{ writes: "Eggs" }, "Noted."]);
  const { io, stdin, stdout, stderr, said } = captureIo({ terminal: true });
  const ended = runCli(["call", "secretary", task, "--config", config], io);
  await said("Run it?");
  expect(stderr()).toContain("notes__write_note needs your approval");
  expect(stderr()).toContain('"text": "Eggs"');
  expect(written()).toBe("");
  stdin.write("y\n");
  expect(await ended).toBe(0);
  expect([stdout(), written()]).toEqual(["Noted.\n", "Eggs\n"]);
});

test("the agent reads that a call was refused, and still answers", async () => {
  const { config, requests, written } = await secretary([{ writes: "Eggs" }, "Then not."]);
  const { io, stdin, stdout, said } = captureIo({ terminal: true });
  const ended = runCli(["call", "secretary", task, "--config", config], io);
  await said("Run it?");
  stdin.write("n\n");
  expect(await ended).toBe(0);
  expect([stdout(), written()]).toEqual(["Then not.\n", ""]);
  expect(requests[1]?.messages.at(-1)).toMatchObject({ role: "tool" });
});

test("an agent that waits without a terminal is resumed by another command", async () => {
  const turns = [{ writes: "Eggs" }, { writes: "Milk" }, "Noted."];
  const { config, requests, written } = await secretary(turns);
  const run = runIn(tempStore());
  const waiting = await run(["call", "secretary", task, "--config", config]);
  expect([waiting.code, waiting.stdout, written()]).toEqual([3, "", ""]);
  expect(waiting.stderr).toContain("secretary waits for you");
  const displayed = await run(["approvals", "show", idIn(waiting)]);
  expect(displayed.stdout).toContain("for its call of notes__write_note");
  const answer = ["--answer", '{"type": "approve"}'];
  const again = await run(["approvals", "resume", idIn(waiting), ...answer]);
  expect([again.code, again.stdout, written()]).toEqual([3, "", "Eggs\n"]);
  const ended = await run(["approvals", "resume", idIn(again), ...answer]);
  expect([ended.code, ended.stdout, written()]).toEqual([0, "Noted.\n", "Eggs\nMilk\n"]);
  expect(requests).toHaveLength(3);
});

test("the outputs of an agent's tools are bounded for its model, unlike those of a command", async () => {
  const server = notesServer({ HAS: "Milk. ".repeat(16_000) });
  const mcp = { notes: { trustAnnotations: true } };
  const others = { mcpServers: { notes: server }, mcp };
  const { config, requests } = await secretary([{ reads: true }, "Much milk."], {}, others);
  const ofAgent = await runCommand(["call", "secretary", task, "--config", config]);
  expect(ofAgent.stdout).toBe("Much milk.\n");
  const read = requests[1]?.messages.at(-1)?.content?.length;
  expect(read).toBeGreaterThan(1_000);
  expect(read).toBeLessThan(60_000);
  const ofTool = await runCommand(["call", "notes__read_notes", "--config", config]);
  expect(ofTool.stdout).toHaveLength(96_001);
});

test("an agent that reaches a limit ends with 1, and its partial answer is not printed on stdout", async () => {
  const { config } = await secretary([{ reads: true }], { limits: { turns: 1 } });
  const ended = await runCommand(["call", "secretary", task, "--config", config]);
  expect([ended.code, ended.stdout]).toEqual([1, ""]);
  expect(ended.stderr).toContain("not a completed answer");
});

test("an agent whose package is missing ends with the command that installs it", async () => {
  const { config } = await secretary([], { model: "no-such-provider/m" });
  const ended = await runCommand(["call", "secretary", task, "--config", config]);
  expect([ended.code, ended.stdout]).toEqual([1, ""]);
  expect(ended.stderr).toContain("run `npm install @ai-sdk/no-such-provider` there");
});

test("an invalid agent is a usage error with its place", async () => {
  const { config } = await secretary([], { model: "gpt-5" });
  const { code, stderr } = await runCommand(["inspect", "--config", config]);
  expect(code).toBe(2);
  expect(stderr).toMatch(/toolweave\.json:\d+:\d+: which package has the model "gpt-5"\?/);
});
