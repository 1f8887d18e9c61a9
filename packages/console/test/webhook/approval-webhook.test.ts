import { defineTool, suspend } from "@toolweave/core";
import { memoryGrants, memoryPendingCalls, type PendingCallStore } from "@toolweave/core/stores";
import { Webhook } from "standardwebhooks";
import { describe, expect, onTestFinished, test } from "vitest";
import {
  approvalWebhook,
  newWebhookSecret,
  type ApprovalWebhookOptions,
  type WebhookFailure,
  type WebhookMessage,
} from "../../src/index.ts";
import { failure } from "../support/failure.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { TestProcess } from "../support/open-console.ts";
import { startReceiver, type ReceivedRequest, type Receiver } from "../support/receiver.ts";
import { deferred } from "../support/deferred.ts";

const secret = newWebhookSecret();

interface Opened {
  readonly process: TestProcess;
  readonly failures: readonly WebhookFailure[];
  readonly failed: Promise<void>;
  readonly close: (graceMs?: number) => Promise<void>;
}

/** A process with a webhook. */
function open(
  { url, origin }: Pick<Receiver, "url" | "origin">,
  options: Partial<ApprovalWebhookOptions> = {},
  tools: ConstructorParameters<typeof TestProcess>[1] = {},
): Opened {
  const pendingCalls = memoryPendingCalls();
  const failures: WebhookFailure[] = [];
  const failed = deferred();
  const webhook = approvalWebhook({
    url,
    secrets: [secret],
    pendingCalls,
    allowOrigins: [origin],
    onFailure: (failure) => {
      failures.push(failure);
      failed.resolve();
    },
    ...options,
  });
  onTestFinished(() => webhook.close(0));
  const process = new TestProcess(
    { pendingCalls, grants: memoryGrants() },
    { hooks: [webhook.hook], ...tools },
  );
  return { process, failures, failed: failed.promise, close: (ms) => webhook.close(ms) };
}

/** Verifies a request with the reference library, at the present time. */
function verify({ headers, body }: ReceivedRequest, ...secrets: string[]): WebhookMessage {
  const [first = secret] = secrets;
  return new Webhook(first).verify(body, headers as Record<string, string>) as WebhookMessage;
}

test("a call that begins to wait is announced, and the reference library accepts the signature", async () => {
  const receiver = await startReceiver();
  const { process } = open(receiver, {
    approvalUrl: "https://agents.example.com/approvals/{id}",
  });
  const id = await process.makeCall();
  const request = await receiver.received(1);
  expect(request.headers).toMatchObject({
    "content-type": "application/json",
    "webhook-id": expect.stringMatching(/^msg_[\da-f]{32}$/),
    "webhook-timestamp": expect.stringMatching(/^\d+$/),
    "webhook-signature": expect.stringMatching(/^v1,[\w+/]{43}=$/),
  });
  expect(verify(request)).toEqual({
    type: "approval.requested",
    timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
    data: {
      id,
      title: expect.stringContaining("pay"),
      tool: "pay",
      requests: [{ type: "approval", summary: expect.any(String), reason: expect.any(String) }],
      arguments: '{"to":"mira","euros":49}',
      expiresAt: expect.stringMatching(/Z$/),
      url: `https://agents.example.com/approvals/${id}`,
    },
  });
});

test("an answer is announced with the person who gave it", async () => {
  const receiver = await startReceiver();
  const { process } = open(receiver);
  const id = await process.makeCall();
  await receiver.received(1);
  await process.answer(id);
  expect(verify(await receiver.received(2))).toMatchObject({
    type: "approval.answered",
    data: { id, tool: "pay", by: "ada" },
  });
});

test("each secret signs, so that a receiver with the old or the new one accepts", async () => {
  const receiver = await startReceiver();
  const [old, next] = [newWebhookSecret(), newWebhookSecret()];
  const { process } = open(receiver, { secrets: [next, old] });
  await process.makeCall();
  const request = await receiver.received(1);
  expect(verify(request, old)).toEqual(verify(request, next));
  expect(() => verify(request, secret)).toThrow("No matching signature");
});

describe("a receiver that fails", () => {
  test("gets the message again with the same id, later each time, until it accepts", async () => {
    const clock = new ManualClock();
    const receiver = await startReceiver((response, number) =>
      response.writeHead(number < 4 ? 500 : 200).end(),
    );
    const { process, failures } = open(receiver, { clock });
    await process.makeCall();
    const delays: number[] = [];
    for (let number = 1; number < 4; number++) {
      await receiver.received(number);
      const delay = await clock.nextTimer();
      delays.push(delay);
      await clock.advance(delay);
    }
    await receiver.received(4);
    for (const [index, delay] of delays.entries()) {
      expect(delay).toBeGreaterThan(800 * 2 ** index - 1);
      expect(delay).toBeLessThanOrEqual(1000 * 2 ** index);
    }
    const headers = receiver.requests.map((request) => request.headers);
    expect(new Set(headers.map((one) => one["webhook-id"])).size).toBe(1);
    expect(new Set(receiver.requests.map(({ body }) => body)).size).toBe(1);
    // The time of the attempt is signed, so that a late attempt is not refused as a replay.
    expect(new Set(headers.map((one) => one["webhook-timestamp"])).size).toBeGreaterThan(1);
    expect(failures).toEqual([]);
  });

  test("is not asked before the time of its Retry-After", async () => {
    const clock = new ManualClock();
    const receiver = await startReceiver((response, number) =>
      response.writeHead(number === 1 ? 429 : 200, { "retry-after": "120" }).end(),
    );
    const { process } = open(receiver, { clock });
    await process.makeCall();
    await receiver.received(1);
    expect(await clock.nextTimer()).toBe(120_000);
    await clock.advance(120_000);
    await receiver.received(2);
  });

  test("until the deadline is reported, and the call still waits and runs", async () => {
    const clock = new ManualClock();
    const receiver = await startReceiver((response) => response.writeHead(503).end("secret text"));
    // The first attempt is repeated after 1,000 ms at most, the second one after 2,400 ms at least.
    const { process, failures, failed } = open(receiver, { clock, deadlineMs: 2_300 });
    const id = await process.makeCall();
    await receiver.received(1);
    await clock.advance(await clock.nextTimer());
    await receiver.received(2);
    await failed;
    expect(failures).toEqual([
      {
        messageId: receiver.requests[0]?.headers["webhook-id"],
        type: "approval.requested",
        approvalId: id,
        attempts: 2,
        reason: "The receiver answered with the status 503.",
      },
    ]);
    expect((await process.answer(id)).body.status).toBe("completed");
  });

  test("with 410 gets no further message", async () => {
    const receiver = await startReceiver((response) => response.writeHead(410).end());
    const { process, failures, failed } = open(receiver);
    await process.makeCall();
    await failed;
    await process.makeCall();
    await expect.poll(() => failures.length).toBe(2);
    expect(failures.map(({ attempts }) => attempts)).toEqual([1, 0]);
    expect(receiver.requests).toHaveLength(1);
  });

  test("with a redirect is not followed", async () => {
    const clock = new ManualClock();
    const target = await startReceiver();
    const receiver = await startReceiver((response) =>
      response.writeHead(307, { location: target.url }).end(),
    );
    const { process, failed } = open(receiver, {
      clock,
      deadlineMs: 0,
      allowOrigins: [receiver.origin, target.origin],
    });
    await process.makeCall();
    await failed;
    expect(target.requests).toEqual([]);
  });
});

test("a private address that is not allowed is not connected to", async () => {
  const receiver = await startReceiver();
  const { process, failures, failed } = open(receiver, {
    url: "https://127.0.0.1:9/hooks",
    allowOrigins: [],
  });
  await process.makeCall();
  await failed;
  expect(failures).toMatchObject([{ attempts: 1, reason: expect.stringContaining("127.0.0.1") }]);
});

test("no secret, masked argument, address of a sign-in or sealed state is in a message or failure", async () => {
  const receiver = await startReceiver((response, number) =>
    response.writeHead(number < 3 ? 200 : 410).end(),
  );
  const signIn = defineTool({
    name: "sign_in",
    description: "Asks for a sign-in.",
    input: { type: "object" },
    annotations: { readOnlyHint: true },
    execute: () =>
      suspend(
        [
          {
            id: "a",
            type: "auth",
            credential: "shop",
            message: "Sign in.",
            url: "https://id.example/?state=private-state",
            userCode: "WDJB-MJHT",
          },
        ],
        null,
      ),
  });
  const { process, failures, failed } = open(receiver, {}, { tools: [signIn] });
  process.executor.secrets.add("sk-live-0123456789abcdef");
  const id = await process.makeCall({ to: "sk-live-0123456789abcdef", euros: 1 });
  await receiver.received(1);
  await process.makeCall({}, undefined, "sign_in");
  await receiver.received(2);
  await process.makeCall({ to: "sk-live-0123456789abcdef", euros: 2 });
  await failed;
  const { interruption } = (await process.stores.pendingCalls.get(id)) ?? {};
  const all = JSON.stringify([receiver.requests, failures]);
  for (const text of ["sk-live", "private-state", "WDJB", secret, interruption?.state ?? "-"]) {
    expect(all).not.toContain(text);
  }
});

test("long and invisible values are bounded and escaped", async () => {
  const receiver = await startReceiver();
  const { process } = open(receiver);
  await process.makeCall({ to: "a\u202Eb", euros: 1, note: "n".repeat(10_000) });
  const message = verify(await receiver.received(1));
  if (message.type !== "approval.requested") throw new Error("It is another message.");
  expect(message.data.arguments).toHaveLength(4000);
  expect(message.data.truncated).toBe(true);
  expect(message.data.arguments).toContain("\\u202e");
  expect((await receiver.received(1)).body.length).toBeLessThan(10_000);
});

test("a call of another call is announced once, by the call above it", async () => {
  const receiver = await startReceiver();
  const shop = defineTool({
    name: "shop",
    description: "Pays.",
    input: { type: "object" },
    annotations: { readOnlyHint: true },
    execute: async (_, { scope }) => {
      const outcome = await scope.execute({
        id: "n",
        name: "pay",
        arguments: { to: "n", euros: 2 },
      });
      return outcome.status === "interrupted"
        ? suspend(outcome.interruption.requests, outcome.interruption as never)
        : "paid";
    },
  });
  const { process, close } = open(receiver, {}, { tools: [shop] });
  const id = await process.makeCall({}, undefined, "shop");
  await close();
  expect(receiver.requests.map((request) => verify(request).data.id)).toEqual([id]);
});

test("close sends what waits within its grace period, and reports the rest", async () => {
  const clock = new ManualClock();
  const receiver = await startReceiver((response, number) =>
    response.writeHead(number === 1 ? 200 : 500).end(),
  );
  const { process, failures, close } = open(receiver, { clock });
  await process.makeCall();
  await receiver.received(1);
  const id = await process.makeCall();
  await receiver.received(2);
  await clock.nextTimer();
  const closed = close(100);
  await clock.advance(100);
  await closed;
  expect(failures).toMatchObject([
    { approvalId: id, attempts: 1, reason: "The sender was closed." },
  ]);
  await process.makeCall();
  await expect.poll(() => failures.length).toBe(2);
  expect(receiver.requests).toHaveLength(2);
});

test("a store that does not answer is reported, and the call waits", async () => {
  const receiver = await startReceiver();
  const failures: WebhookFailure[] = [];
  const webhook = approvalWebhook({
    url: receiver.url,
    secrets: [secret],
    pendingCalls: { get: () => Promise.reject(new Error("db-7")) } as Pick<PendingCallStore, "get">,
    allowOrigins: [receiver.origin],
    onFailure: (failure) => void failures.push(failure),
  });
  const process = new TestProcess(
    { pendingCalls: memoryPendingCalls(), grants: memoryGrants() },
    { hooks: [webhook.hook] },
  );
  await process.makeCall();
  await webhook.close();
  expect(failures).toMatchObject([{ reason: "The store of pending calls does not answer." }]);
  expect(receiver.requests).toEqual([]);
});

describe("options", () => {
  const pendingCalls = memoryPendingCalls();
  const valid = { url: "https://hooks.example.com/a", secrets: [secret], pendingCalls };
  test.each([
    ["no address", { url: "hooks" }],
    ["http without allowOrigins", { url: "http://hooks.example.com/a" }],
    ["an address with a password", { url: "https://a:b@hooks.example.com/" }],
    ["another scheme", { url: "file:///etc/passwd" }],
    ["no secret", { secrets: [] }],
    ["a secret without its prefix", { secrets: [secret.slice(6)] }],
    ["a short secret", { secrets: [`whsec_${Buffer.alloc(23).toString("base64")}`] }],
    ["a long secret", { secrets: [`whsec_${Buffer.alloc(65).toString("base64")}`] }],
    ["a secret that is no base64", { secrets: [`whsec_${"*".repeat(44)}`] }],
    ["a link without {id}", { approvalUrl: "https://agents.example.com/approvals" }],
    ["a link that is a script", { approvalUrl: "javascript:alert({id})" }],
    ["a negative deadline", { deadlineMs: -1 }],
    ["an unknown name", { secret }],
  ])("with %s are refused, and no secret is in the error", (_, change) => {
    const error = failure(() => approvalWebhook({ ...valid, ...change } as never));
    expect(error.code).toBe("invalid_configuration");
    expect(error.message).not.toContain(secret.slice(6));
  });
});
