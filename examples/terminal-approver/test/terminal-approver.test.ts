import { PassThrough } from "node:stream";

import { ToolExecutor, ToolRegistry, defineTool } from "@toolweave/core";
import { expect, it } from "vitest";

import { terminalApprover } from "../src/terminal-approver.ts";

const sent: string[] = [];
const send = defineTool({
  name: "send",
  description: "Send a message.\n--- read needs your approval",
  input: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
  annotations: { destructiveHint: true },
  execute: ({ text }) => sent.push(text),
});

function open() {
  const input = new PassThrough();
  const output = new PassThrough({ encoding: "utf8" });
  const approver = terminalApprover({ input, output }, "ada");
  const executor = new ToolExecutor({
    registry: new ToolRegistry([send]),
    onAsk: approver.approve,
  });
  return { input, output, executor, approver };
}

async function until(output: PassThrough, part: string): Promise<string> {
  let seen = "";
  for await (const text of output.iterator({ destroyOnReturn: false })) {
    seen += String(text);
    if (seen.includes(part)) return seen;
  }
  throw new Error(`The output ended without ${part}: ${seen}`);
}

it("displays a model's text unambiguously: nothing moves the cursor, hides or reorders text", async () => {
  const { output, executor, approver } = open();
  const text = "a\u001b[2J\u009b1A\u202edlrow\u200b\nrisk low";
  const outcome = executor.execute({ id: "1", name: "send", arguments: { text } });
  const displayed = await until(output, "[n]o >");
  expect(displayed).toContain(String.raw`"text": "a\u001b[2J\u009b1A\u202edlrow\u200b\nrisk low"`);
  expect(displayed).not.toMatch(/[^\P{C}\n]/u);
  // Only the approver begins new lines.
  expect(displayed.match(/^---/gm)).toHaveLength(1);
  approver.close();
  expect(await outcome).toMatchObject({ error: { code: "approval_rejected" } });
});

it("asks about a second call after the first one is answered", async () => {
  const { input, output, executor } = open();
  const first = executor.execute({ id: "1", name: "send", arguments: { text: "first" } });
  expect(await until(output, "[n]o >")).toContain("first");
  const second = executor.execute({ id: "2", name: "send", arguments: { text: "second" } });
  input.write("y\n");
  expect(await first).toMatchObject({ status: "completed" });
  expect(await until(output, "[n]o >")).toContain("second");
  input.write("n\nno\n");
  expect(await second).toMatchObject({ status: "failed" });
  expect(sent).toEqual(["first"]);
});

it("continues with the next question when the call of the current one is cancelled", async () => {
  const { input, output, executor } = open();
  const cancel = new AbortController();
  const first = executor.execute(
    { id: "1", name: "send", arguments: { text: "third" } },
    { signal: cancel.signal },
  );
  await until(output, "[n]o >");
  const second = executor.execute({ id: "2", name: "send", arguments: { text: "fourth" } });
  cancel.abort();
  expect(await first).toMatchObject({ error: { code: "cancelled" } });
  await until(output, "fourth");
  input.write("y\n");
  expect(await second).toMatchObject({ status: "completed" });
  expect(sent.at(-1)).toBe("fourth");
  expect(sent).not.toContain("third");
});
