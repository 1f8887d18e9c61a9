import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { openHost } from "../src/host.ts";
import { Browser } from "./support/browser.ts";
import { runAgent, start, startApprover, type ApproverProcess } from "./support/programs.ts";
import { records } from "./support/records.ts";

vi.setConfig({ testTimeout: 30_000 });

let folder: string;
let running: ApproverProcess[];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "web-approver-"));
  running = [];
});
afterEach(async () => {
  for (const { child } of running) child.kill("SIGKILL");
  await Promise.all(running.map(({ ended }) => ended));
  await rm(folder, { recursive: true });
});

async function approver(): Promise<ApproverProcess & { browser: Browser }> {
  const started = await startApprover(folder);
  running.push(started);
  const browser = new Browser(started.startUrl);
  await browser.signIn();
  return { ...started, browser };
}

const refunds = (): unknown[] => records(folder, "refunds.jsonl");
const messages = (): unknown[] => records(folder, "messages.jsonl");

describe("a pending call of another process", () => {
  it("has done nothing yet, and is displayed with its effects", async () => {
    const printed = await runAgent(folder);
    expect(printed).toMatch(/get_order: completed: .*Teapot/);
    expect(printed).toMatch(/refund_order: waits for a person/);
    expect([refunds(), messages()]).toEqual([[], []]);

    const { browser } = await approver();
    const { status, text } = await browser.get("/");
    expect(status).toBe(200);
    expect(text).toContain("Pay 49 back for order 1042");
    expect(text).toContain("spend order 1042");

    const list = await browser.get("/approvals.json");
    expect(list.headers["content-type"]).toMatch(/^application\/json/);
    const calls = JSON.parse(list.text) as object[];
    expect(calls).toMatchObject([
      { status: "pending", call: { name: "refund_order", arguments: { amount: 49 } } },
      { status: "pending", call: { name: "send_message" } },
    ]);
    // Sealed data is not needed on a page.
    expect(calls[0]).not.toHaveProperty("state");
  });

  it("runs once if it is approved, and a second approval displays the outcome of the first", async () => {
    await runAgent(folder);
    const { browser } = await approver();
    const form = await browser.form("/approve", "refund_order");
    const first = await browser.submit(form);
    expect(first.status).toBe(200);
    expect(first.text).toContain("Paid 49 back for order 1042.");
    const second = await browser.submit(form);
    expect(second.status).toBe(200);
    expect(second.text).toContain("Paid 49 back for order 1042.");
    expect(refunds()).toEqual([{ order: "1042", amount: 49 }]);
    expect((await browser.get("/")).text).not.toContain("refund_order");
    expect(records(folder, "audit.jsonl")).toContainEqual(
      expect.objectContaining({ tool: "refund_order", decision: "approved", by: "ada" }),
    );
  });

  it("runs once if two approvers of two processes approve at the same time", async () => {
    await runAgent(folder);
    const browsers = [(await approver()).browser, (await approver()).browser];
    const forms = await Promise.all(browsers.map((one) => one.form("/approve", "refund_order")));
    const answers = await Promise.all(browsers.map((one, index) => one.submit(forms[index]!)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect(refunds()).toHaveLength(1);
  });

  it("does not run if it is rejected, and the model can read the reason", async () => {
    await runAgent(folder);
    const { browser } = await approver();
    const { action, fields } = await browser.form("/reject", "refund_order");
    const answer = await browser.submit({
      action,
      fields: { ...fields, reason: "It was <used>." },
    });
    expect(answer.status).toBe(200);
    expect(answer.text).toContain("Reason: It was &lt;used&gt;.");
    expect((await browser.submit({ action: "/reject", fields })).status).toBe(409);
    expect(refunds()).toEqual([]);
  });

  it("runs with the arguments that a person has changed", async () => {
    await runAgent(folder);
    const { browser } = await approver();
    const { action, fields } = await browser.form("/approve", "refund_order");
    const edited = { ...fields, arguments: '{"order": "1042", "amount": 20}' };
    expect((await browser.submit({ action, fields: edited })).status).toBe(200);
    expect(refunds()).toEqual([{ order: "1042", amount: 20 }]);
  });

  it("stays pending if a person's arguments are invalid", async () => {
    await runAgent(folder);
    const { browser } = await approver();
    const { action, fields } = await browser.form("/approve", "refund_order");
    const send = async (text: string): Promise<number> =>
      (await browser.submit({ action, fields: { ...fields, arguments: text } })).status;
    expect(await send("twenty")).toBe(400);
    expect(await send("[20]")).toBe(400);
    expect(await send('{"order": "1042", "amount": 1e6}')).toBe(409);
    expect(await send(`"${"x".repeat(100_000)}"`)).toBe(413);
    expect(refunds()).toEqual([]);
    expect(await send(fields["arguments"]!)).toBe(200);
    expect(refunds()).toHaveLength(1);
  });

  it("asks again if a person's arguments need a permission that was not displayed", async () => {
    await runAgent(folder);
    const { browser } = await approver();
    const { action, fields } = await browser.form("/approve", "refund_order");
    const edited = { ...fields, arguments: '{"order": "1043", "amount": 20}' };
    const { text } = await browser.submit({ action, fields: edited });
    expect(text).toContain("waits again");
    expect(refunds()).toEqual([]);
    await browser.submit(await browser.form("/approve", "refund_order"));
    expect(refunds()).toEqual([{ order: "1043", amount: 20 }]);
  });
});

describe("an approver that is killed", () => {
  it("is replaced by another one, which continues with the pending calls", async () => {
    await runAgent(folder);
    const killed = await approver();
    await killed.browser.submit(await killed.browser.form("/approve", "refund_order"));
    const old = await killed.browser.form("/approve", "send_message");
    killed.child.kill("SIGKILL");
    expect(await killed.ended).toBe("SIGKILL");

    const { browser } = await approver();
    // A page of the previous one cannot decide any more.
    expect((await browser.submit(old)).status).toBe(403);
    expect((await browser.get("/")).text).not.toContain("refund_order");
    expect((await browser.submit(await browser.form("/approve", "send_message"))).status).toBe(200);
    expect([refunds().length, messages().length]).toEqual([1, 1]);
  });

  it("ends by itself with SIGTERM", async () => {
    const { child, ended } = await approver();
    child.kill("SIGTERM");
    expect(await ended).toBe(0);
  });
});

describe("texts of a model", () => {
  it("OU03, OU05: are displayed as text, load nothing, and stay unchanged", async () => {
    const to = `"><script>alert(1)</script><img src=x onerror='alert(2)'>\nApproved.`;
    const text = `![x](https://evil.example/?q=1)</textarea></form><form action="/approve">\u202eevil\u200b\ufe01\u001b[2J`;
    const agent = openHost(folder);
    const call = { id: "1", name: "send_message", arguments: { to, text } };
    expect(await agent.executor.execute(call)).toMatchObject({ status: "interrupted" });
    await agent.close();

    const { browser } = await approver();
    const page = await browser.get("/");
    expect(page.text).not.toMatch(/<script|<img/);
    expect(page.text.match(/<form /g)).toHaveLength(2);
    expect(page.text).not.toMatch(/[^\P{C}\n]/u);
    // The target is one line.
    expect(page.text).toContain(String.raw`alert(2)&#39;&gt;\u{A}Approved.`);
    expect(page.text).toContain(String.raw`\u202eevil\u200b\ufe01\u001b[2J`);
    expect(page.text).toContain("In its source's words: <q>Write to a customer.</q>");
    expect(page.headers["content-security-policy"]).toMatch(/^default-src 'none';/);
    expect(page.headers["content-security-policy"]).not.toContain("img-src");

    const answer = await browser.submit(await browser.form("/approve", "send_message"));
    expect(answer.status).toBe(200);
    expect(answer.text).not.toMatch(/<script|<img/);
    expect(messages()).toEqual([{ to, text }]);
  });
});

describe("the commands", () => {
  it.each(["agent", "approver"])("%s prints its help", async (program) => {
    const help = start(program, ["--help"]);
    expect(await help.ended).toBe(0);
    expect(help.output.text).toMatch(new RegExp(`^Usage: ${program} `));
    const wrong = start(program, ["--yes"]);
    expect(await wrong.ended).toBe(2);
    expect(wrong.output.text).toMatch(/^Usage: /);
  });
});

describe("a port", () => {
  it("that is invalid is refused, with 2", async () => {
    for (const port of ["abc", "65536", "-1", ""]) {
      const { output, ended } = start("approver", ["--folder", folder, `--port=${port}`]);
      expect([port, await ended]).toEqual([port, 2]);
      expect(output.text).toBe("--port takes a number from 0 to 65535.\n");
    }
  });

  it("that is in use is reported in one line, with 1", async () => {
    const { startUrl } = await approver();
    const { port } = new URL(startUrl);
    const { output, ended } = start("approver", ["--folder", folder, "--port", port]);
    expect(await ended).toBe(1);
    expect(output.text).toBe(`Port ${port} cannot be listened on: it is in use.\n`);
  });
});

it("processes that create the key together have the same one, and leave nothing else", async () => {
  await Promise.all([runAgent(folder), runAgent(folder), runAgent(folder)]);
  const names = await readdir(folder);
  expect(names.filter((name) => name.startsWith("key"))).toEqual(["key"]);
  // Calls with another key could not be opened.
  const { browser } = await approver();
  const calls = JSON.parse((await browser.get("/approvals.json")).text) as object[];
  expect(calls).toHaveLength(6);
});
