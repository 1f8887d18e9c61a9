import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, expect, test, vi } from "vitest";

import { Browser, type Form, type Headers } from "./support/browser.ts";
import { runAgent, startApprover, type ApproverProcess } from "./support/programs.ts";
import { records } from "./support/records.ts";

vi.setConfig({ testTimeout: 30_000, hookTimeout: 30_000 });

let folder: string;
let approver: ApproverProcess;
/** The person's own browser, signed in. */
let browser: Browser;
let form: Form;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "web-approver-"));
  await runAgent(folder);
  approver = await startApprover(folder);
  browser = new Browser(approver.startUrl);
  await browser.signIn();
  form = await browser.form("/approve", "refund_order");
});
afterAll(async () => {
  approver.child.kill("SIGKILL");
  await approver.ended;
  await rm(folder, { recursive: true });
});

/** Nothing happened, and it can still be approved. */
async function nothingHappened(): Promise<void> {
  expect(records(folder, "refunds.jsonl")).toEqual([]);
  expect((await browser.get("/")).text).toContain("Pay 49 back");
}

const otherPort = "http://127.0.0.1:1";
const headers: Record<string, (host: string) => Headers> = {
  "a page of another site": () => ({ origin: "https://evil.example" }),
  "a page of another port": () => ({ origin: otherPort }),
  "the same address over another scheme": (host) => ({ origin: `https://${host}` }),
  "a page without an origin (null)": () => ({ origin: "null" }),
  "a request without an origin": () => ({ origin: undefined }),
  "a name that resolves to this address (DNS rebinding)": (host) => {
    const rebound = `evil.example:${host.split(":")[1]}`;
    return { host: rebound, origin: `http://${rebound}` };
  },
  "a page that names this server by another name": () => ({ host: "localhost" }),
  "a browser without the cookie": () => ({ cookie: undefined }),
  "a browser with another cookie": (host) => ({
    cookie: `approver-${host.split(":")[1]}=${"A".repeat(43)}`,
  }),
};

test.each(Object.keys(headers))("AP16: an approval from %s is refused", async (name) => {
  const answer = await browser.submit(form, headers[name]!(browser.host));
  expect(answer.status).toBe(403);
  await nothingHappened();
});

test.each([
  ["no form token", async () => ({ csrf: "" })],
  ["a form token of another call", async () => browser.form("/approve", "send_message").then(csrf)],
  ["a form token of a rejection", async () => browser.form("/reject", "refund_order").then(csrf)],
])("AP16: an approval with %s is refused", async (_, fields) => {
  const forged = { ...form, fields: { ...form.fields, ...(await fields()) } };
  expect((await browser.submit(forged)).status).toBe(403);
  await nothingHappened();
});

function csrf({ fields }: Form): Record<string, string> {
  return { csrf: fields["csrf"] ?? "" };
}

test("AP16: a link approves nothing", async () => {
  const query = new URLSearchParams(form.fields).toString();
  for (const path of ["/approve", "/reject"]) {
    expect((await browser.get(`${path}?${query}`)).status).toBe(403);
  }
  await nothingHappened();
});

test("AP16: a name that resolves to this address reads nothing, and cannot sign in", async () => {
  const rebound = { host: `evil.example:${browser.host.split(":")[1]}` };
  for (const path of ["/", "/approvals.json"]) {
    const { status, text } = await browser.get(path, rebound);
    expect([status, text.includes("refund")]).toEqual([403, false]);
  }
  const unused = await startApprover(folder);
  try {
    const { pathname, search, port } = new URL(unused.startUrl);
    const person = new Browser(unused.startUrl);
    const attempt = await person.get(pathname + search, { host: `evil.example:${port}` });
    expect([attempt.status, attempt.headers["set-cookie"]]).toEqual([403, undefined]);
    expect((await person.signIn()).status).toBe(303);
  } finally {
    unused.child.kill("SIGKILL");
    await unused.ended;
  }
});

test("AP16: without the start address nothing is displayed, and it signs in once", async () => {
  const stranger = new Browser(approver.startUrl);
  for (const path of ["/", "/approvals.json", "/?token=", "/?token=guess"]) {
    expect((await stranger.get(path)).status).toBe(403);
  }
  const again = await stranger.signIn();
  expect([again.status, again.headers["set-cookie"]]).toEqual([403, undefined]);
});

test("AP16: the cookie is only sent for this server's own pages and not readable by scripts", async () => {
  const other = await startApprover(folder);
  try {
    const { headers } = await new Browser(other.startUrl).signIn();
    expect(headers["location"]).toBe("/");
    expect(headers["set-cookie"]?.[0]).toMatch(
      /^approver-\d+=[\w-]{43}; HttpOnly; SameSite=Strict; Path=\/$/,
    );
  } finally {
    other.child.kill("SIGKILL");
    await other.ended;
  }
});

test("AP16: a request that was refused for one reason alone is accepted without it", async () => {
  expect((await browser.submit(form)).status).toBe(200);
  expect(records(folder, "refunds.jsonl")).toHaveLength(1);
});
