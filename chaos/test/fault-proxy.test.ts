import { EventEmitter, once } from "node:events";
import { createServer } from "node:http";
import { connect, type AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { afterEach, beforeEach, expect, test } from "vitest";
import { bucketFaults, FaultProxy } from "../src/bucket/fault-proxy.ts";
import { createRandom } from "../src/cluster/random.ts";

type BucketFault = (typeof bucketFaults)[number];

const sent = "x".repeat(1_000);
const answered = "y".repeat(1_000);
/** Longer than a test. */
const heldMs = 600_000;

/** The bodies that have arrived, and an event for each that was cut. */
let bodies: string[];
let cuts: EventEmitter;
let proxy: FaultProxy;
const server = createServer((request, response) => {
  buffer(request).then(
    (body) => {
      bodies.push(body.toString());
      response.end(answered);
    },
    () => cuts.emit("cut"),
  );
});

beforeEach(async () => {
  bodies = [];
  cuts = new EventEmitter();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
});
afterEach(async () => {
  await proxy.end();
  server.close();
  server.closeAllConnections();
});

/** Starts a proxy, all of whose requests have this fault. */
async function start(fault: BucketFault): Promise<void> {
  const random = { ...createRandom(1), pick: () => fault as never };
  const { port } = server.address() as AddressInfo;
  proxy = await FaultProxy.start(`http://127.0.0.1:${port}`, random, heldMs);
  proxy.disturb(1);
}

async function put(): Promise<{ status: number; date: number; text: string }> {
  const answer = await fetch(`${proxy.origin}/a`, { method: "PUT", body: sent });
  const date = Date.parse(answer.headers.get("date") ?? "");
  return { status: answer.status, date, text: await answer.text() };
}

test("without a fault, requests and answers are forwarded", async () => {
  await start("busy");
  proxy.disturb(0);
  expect(await put()).toMatchObject({ status: 200, text: answered });
  expect(bodies).toEqual([sent]);
});

test.each([
  ["busy", 503, "SlowDown", false],
  ["skew", 403, "RequestTimeTooSkewed", false],
  ["wrongClock", 403, "RequestTimeTooSkewed", true],
] as const)(
  "%s: the request is refused, and not forwarded",
  async (fault, status, code, isFast) => {
    await start(fault);
    const answer = await put();
    expect(answer).toMatchObject({ status, text: expect.stringContaining(code) });
    expect(answer.date - Date.now() > 1_800_000).toBe(isFast);
    expect(bodies).toEqual([]);
    expect(proxy.counts[fault]).toBe(1);
  },
);

test.each([
  ["unsent", []],
  ["lost", [sent]],
  ["cutAnswer", [sent]],
] as const)("%s: the client has no answer", async (fault, arrived) => {
  await start(fault);
  await expect(put()).rejects.toThrow(/fetch failed|terminated/);
  expect(bodies).toEqual(arrived);
});

test("cutRequest: a part of the request arrives", async () => {
  await start("cutRequest");
  const cut = once(cuts, "cut");
  await expect(put()).rejects.toThrow(/fetch failed|terminated/);
  await cut;
  expect(bodies).toEqual([]);
});

test("slow: the request has arrived, and its answer comes when the faults end", async () => {
  await start("slow");
  const arrived = once(server, "request");
  const answer = put();
  await arrived;
  await proxy.restore();
  expect(await answer).toMatchObject({ status: 200, text: answered });
});

test("late: a request arrives when the faults end, even if its client does not wait for it", async ({
  signal,
}) => {
  await start("late");
  const written = proxy.nextWrite(signal);
  const { port } = new URL(proxy.origin);
  const head = `PUT /a HTTP/1.1\r\nHost: a\r\nContent-Length: ${sent.length}\r\n\r\n`;
  const client = connect({ host: "127.0.0.1", port: Number(port) });
  client.end(`${head}${sent}`);
  await written;
  expect(bodies).toEqual([]);
  await proxy.restore();
  expect(bodies).toEqual([sent]);
});
