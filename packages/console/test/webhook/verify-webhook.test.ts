import { Webhook } from "standardwebhooks";
import { describe, expect, test } from "vitest";
import { newWebhookSecret, verifyWebhook } from "../../src/index.ts";
import { ManualClock } from "../support/manual-clock.ts";

const secret = newWebhookSecret();
const clock = new ManualClock();
const body = JSON.stringify({
  type: "approval.answered",
  timestamp: "2026-11-26T00:00:00.000Z",
  data: { id: "a", tool: "pay" },
});

/** A request that the reference library has signed. */
function signed(
  change: {
    readonly secret?: string;
    readonly at?: number;
    readonly body?: string;
    readonly headers?: Readonly<Record<string, string>>;
  } = {},
): Request {
  const { at = clock.now(), headers = {} } = change;
  const text = change.body ?? body;
  const signature = new Webhook(change.secret ?? secret).sign("msg_1", new Date(at), text);
  return new Request("https://receiver.example/hooks", {
    method: "POST",
    headers: {
      "webhook-id": "msg_1",
      "webhook-timestamp": String(Math.floor(at / 1000)),
      "webhook-signature": signature,
      ...headers,
    },
    body: text,
  });
}

test("a message that the reference library has signed is accepted", async () => {
  const { id, message } = await verifyWebhook(signed(), [secret], { clock });
  expect(id).toBe("msg_1");
  expect(message).toEqual(JSON.parse(body));
});

test("one of several signatures, and one of several secrets, is enough", async () => {
  const [old, next] = [newWebhookSecret(), newWebhookSecret()];
  const one = new Webhook(old).sign("msg_1", new Date(clock.now()), body);
  const other = new Webhook(next).sign("msg_1", new Date(clock.now()), body);
  const headers = { "webhook-signature": `v1a,other ${one} ${other}` };
  for (const secrets of [[old], [next], [secret, old]]) {
    await expect(verifyWebhook(signed({ headers }), secrets, { clock })).resolves.toBeDefined();
  }
});

describe("a request is refused", () => {
  const flip = (text: string): string => (text.startsWith("A") ? "B" : "A") + text.slice(1);
  test.each([
    ["that another secret has signed", signed({ secret: newWebhookSecret() })],
    ["without an id", signed({ headers: { "webhook-id": "" } })],
    ["with another id", signed({ headers: { "webhook-id": "msg_2" } })],
    [
      "with another time",
      signed({ headers: { "webhook-timestamp": String(Math.floor(clock.now() / 1000) + 1) } }),
    ],
    ["with a time that is no number", signed({ headers: { "webhook-timestamp": "now" } })],
    ["with a time in hexadecimal digits", signed({ headers: { "webhook-timestamp": "0x6" } })],
    ["without a signature", signed({ headers: { "webhook-signature": "" } })],
    ["with an empty signature", signed({ headers: { "webhook-signature": "v1," } })],
    [
      "with a signature of another version",
      signed({
        headers: {
          "webhook-signature": new Webhook(secret)
            .sign("msg_1", new Date(clock.now()), body)
            .replace("v1,", "v1a,"),
        },
      }),
    ],
    [
      "with a changed signature",
      signed({
        headers: {
          "webhook-signature": `v1,${flip(new Webhook(secret).sign("msg_1", new Date(clock.now()), body).slice(3))}`,
        },
      }),
    ],
    [
      "with a changed body",
      new Request(signed(), { method: "POST", body: body.replace("pay", "buy") }),
    ],
    ["with a body of 2 MB", signed({ body: "x".repeat(2_000_000) })],
    ["that is 5 minutes and 1 second old", signed({ at: clock.now() - 301_000 })],
    ["that is 5 minutes and 1 second early", signed({ at: clock.now() + 301_000 })],
  ])("%s", async (_, request) => {
    await expect(verifyWebhook(request, [secret], { clock })).rejects.toMatchObject({
      code: "permission_denied",
    });
  });
});

test.each([-300_000, 300_000])("a message %i ms away is accepted", async (ms) => {
  const request = signed({ at: clock.now() + ms });
  await expect(verifyWebhook(request, [secret], { clock })).resolves.toBeDefined();
});

test.each(["{}", "[]", "no JSON", '{"type":"invoice.paid","data":{"id":"1"}}'])(
  "a signed body that is no message is an error: %s",
  async (text) => {
    await expect(verifyWebhook(signed({ body: text }), [secret], { clock })).rejects.toMatchObject({
      code: "invalid_arguments",
    });
  },
);

test("an invalid secret is an error of the configuration", async () => {
  await expect(verifyWebhook(signed(), ["secret"], { clock })).rejects.toMatchObject({
    code: "invalid_configuration",
  });
});
