import { expect, test, vi } from "vitest";
import { runCli } from "../src/program.ts";
import { captureIo } from "./support/captured-io.ts";
import { project } from "./support/project.ts";

const module = `
  import { appendFileSync } from "node:fs";
  export default [{
    spec: {
      name: "note",
      description: "Note a text.",
      inputSchema: { type: "object", properties: { file: { type: "string" } }, required: ["file"] },
      annotations: { destructiveHint: false },
      provenance: { adapter: "code" },
    },
    invoke: ({ file }) => { appendFileSync(file, "noted\\n"); return "noted"; },
  }];
`;

test("schedule run makes the calls that are due, each once", async () => {
  const { run, write, read, folder } = project();
  write("tools.mjs", module);
  write(
    "toolweave.json",
    JSON.stringify({
      builtin: { schedule: { timeZone: "Europe/Berlin" } },
      tools: ["./tools.mjs"],
      store: ".toolweave",
      policy: "autonomous",
    }),
  );
  await run(["trust", "--yes"]);
  const args = JSON.stringify({ file: `${folder}/notes.txt` });
  const words = ["tool=note", `arguments=${args}`, "after_s=1", "name=first"];
  const added = await run(["call", "schedule_add", ...words]);
  expect(added).toMatchObject({ code: 0, stderr: "" });

  const lines: string[] = [];
  await vi.waitFor(async () => {
    const ended = await run(["schedule", "run", "--once", "--json"]);
    expect(ended.code).toBe(0);
    lines.push(...ended.stdout.split("\n").filter((line) => line !== ""));
    expect(lines.length).toBe(1);
  }, 20_000);
  expect(JSON.parse(lines[0] ?? "")).toMatchObject({
    name: "first",
    tool: "note",
    status: "completed",
  });
  const again = await run(["schedule", "run", "--once"]);
  expect(again).toMatchObject({ code: 0, stdout: "", stderr: "toolweave: 0 calls due.\n" });
  expect(read("notes.txt")).toBe("noted\n");
});

test("a scheduled call for which the policy asks waits, and is approved by another command", async () => {
  const { run, write, read, folder } = project();
  write("tools.mjs", module);
  const config = { builtin: { schedule: true }, tools: ["./tools.mjs"], store: ".toolweave" };
  const rules = [{ effect: "allow", tools: "schedule_add" }];
  write(
    "toolweave.json",
    JSON.stringify({ ...config, policy: { rules: [...rules, { effect: "ask", tools: "note" }] } }),
  );
  await run(["trust", "--yes"]);
  const args = JSON.stringify({ file: `${folder}/notes.txt` });
  await run(["call", "schedule_add", "tool=note", `arguments=${args}`, "after_s=1"]);
  let words: readonly string[] = [];
  await vi.waitFor(async () => {
    const { code, stderr } = await run(["schedule", "run", "--once"]);
    words = /A call waits for approval: `toolweave (.*?)`/.exec(stderr)?.[1]?.split(" ") ?? [];
    expect(code).toBe(3);
  }, 20_000);
  expect(await run(words)).toMatchObject({ code: 0 });
  expect(read("notes.txt")).toBe("noted\n");
});

test("schedule run says what a configuration without schedules lacks", async () => {
  const { run, write } = project();
  write("toolweave.json", JSON.stringify({ builtin: { plan: true } }));
  await run(["trust", "--yes"]);
  const ended = await run(["schedule", "run"]);
  expect(ended.code).toBe(2);
  expect(ended.stderr).toContain(
    'Add "builtin": { "schedule": true } and "store": ".toolweave" to it.',
  );
});

test("schedule run is stopped with Ctrl-C", async () => {
  const { run, write, env } = project();
  write("toolweave.json", JSON.stringify({ builtin: { schedule: true }, store: ".toolweave" }));
  await run(["trust", "--yes"]);
  const { io, said, interrupt, stderr } = captureIo({ env });
  const running = runCli(["schedule", "run"], io);
  await said("Making scheduled calls");
  interrupt.abort();
  expect([await running, stderr()]).toEqual([
    0,
    "toolweave: Making scheduled calls when they are due. Ctrl-C ends it.\n",
  ]);
});
