import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import {
  add,
  remove,
  requests,
  run,
  shop,
  store,
  usePetShop,
} from "./support/pet-shop-with-store.ts";
import { runBin } from "./support/run-bin.ts";
import { idIn } from "./support/run-cli.ts";
import {
  runStudio,
  startStudio,
  StudioClient,
  stopStudio,
  type RunningStudio,
} from "./support/studio.ts";
import { tempFile } from "./support/temp-file.ts";

usePetShop();

interface Approval {
  readonly id: string;
  readonly status: string;
  readonly digest: string;
}

const startHere = (...args: readonly string[]): Promise<RunningStudio> =>
  startStudio([shop.documentUrl, ...args], { env: { TOOLWEAVE_STORE: store } });

const listed = async (client: StudioClient): Promise<readonly Approval[]> =>
  (await client.read<{ approvals: readonly Approval[] }>("/api/approvals")).approvals;

const answer = (client: StudioClient, { id, digest }: Approval, more: object = {}) =>
  client.send(`/api/approvals/${id}/answers`, { digest, answers: [{ type: "approve", ...more }] });

describe("an approved call runs once", () => {
  test("of two Studios and a command that approve it together", async () => {
    const id = idIn(await run(remove(7)));
    const [first, second] = await Promise.all([startHere(), startHere()]);
    const clients = await Promise.all([first, second].map(StudioClient.open));
    const [approval] = await listed(clients[0] as StudioClient);
    if (approval === undefined) throw new Error("No call waits.");
    expect(approval.id).toBe(id);
    const [ended, ...answers] = await Promise.all([
      runBin(["approvals", "approve", id], { env: { TOOLWEAVE_STORE: store } }),
      ...clients.flatMap((client) => [answer(client, approval), answer(client, approval)]),
    ]);
    // One of them runs it; the others get an error that says so, or the same outcome.
    expect([0, 3]).toContain(ended?.code);
    for (const { status } of answers) expect([200, 409]).toContain(status);
    expect(requests().map(({ method, url }) => `${method} ${url}`)).toEqual(["DELETE /pets/7"]);
    expect(await listed(clients[1] as StudioClient)).toEqual([]);
  });

  test("of two sessions of one Studio", async () => {
    const { client, openSession } = await runStudio([shop.documentUrl], { TOOLWEAVE_STORE: store });
    const other = await openSession();
    const waits = await client.call("delete_pet", { id: 8 });
    const [approval] = await listed(other);
    if (approval === undefined) throw new Error("No call waits.");
    const answers = await Promise.all(
      [client, other, client, other].map((each) => answer(each, approval)),
    );
    expect(answers.map(({ status }) => status)).toContain(200);
    for (const { status } of answers) expect([200, 409]).toContain(status);
    expect(requests().map(({ url }) => url)).toEqual(["/pets/8"]);
    expect(await client.read(`/api/calls/${waits.callId}`)).toMatchObject({ status: "completed" });
  });

  test("after kill -9 of the Studio that ran it: a new one shows that the outcome is unknown", async () => {
    const rules = [{ tools: ["wait_forever"], effect: "ask" }];
    const policy = tempFile("policy.json", JSON.stringify({ rules, preset: "supervised" }));
    const first = await startHere("--policy", policy);
    const client = await StudioClient.open(first);
    const waits = await client.call("wait_forever", {});
    const [approval] = await listed(client);
    if (approval === undefined) throw new Error("No call waits.");
    const lost = answer(client, approval).catch(() => undefined);
    await shop.asked("/never");
    await stopStudio(first);
    expect(await lost).toBe(undefined);
    const next = await startHere("--policy", policy);
    const later = await StudioClient.open(next);
    // Until the lease of the process that has ended expires, the call counts as running.
    expect(await listed(later)).toMatchObject([{ id: waits.approvalId, status: "claimed" }]);
    expect(await answer(later, approval)).toMatchObject({
      status: 409,
      body: { code: "approval_running" },
    });
    const database = new DatabaseSync(store);
    database.exec("UPDATE pending_calls SET lease_until = 1");
    database.close();
    const [unfinished] = await listed(later);
    expect(unfinished).toMatchObject({ id: waits.approvalId, status: "unfinished" });
    expect(await answer(later, approval)).toMatchObject({
      status: 409,
      body: { code: "outcome_unknown" },
    });
    expect(requests().map(({ url }) => url)).toEqual(["/never"]);
  });
});

test("a call that a person has edited runs with the edited arguments, and its run has those", async () => {
  await run(add("Rex"));
  const { client } = await runStudio([shop.documentUrl], { TOOLWEAVE_STORE: store });
  const [approval] = await listed(client);
  if (approval === undefined) throw new Error("No call waits.");
  expect(approval).toMatchObject({ call: { arguments: { name: "Rex" } } });
  const answered = await answer(client, approval, { arguments: { name: "Max" } });
  expect(answered).toMatchObject({ status: 200, body: { status: "completed" } });
  expect(requests().map(({ body }) => body)).toEqual(['{"name":"Max"}']);
  const { items } = await client.read<{ items: readonly { runId: string }[] }>("/api/runs");
  expect(await client.read(`/api/runs/${items[0]?.runId}`)).toMatchObject({
    spans: [{ kind: "call", tool: "add_pet", state: "ok", arguments: { name: "Max" } }],
  });
});
