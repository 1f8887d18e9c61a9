import type { JsonObject } from "@toolweave/core";
import type { McpProgress } from "../../../src/transport/messages/mcp-connection.ts";
import { describe, expect, it, vi } from "vitest";
import { connected, rawServer, readText } from "../../support/open-connection.ts";

const mebi = 1024 * 1024;

describe("a server that violates the transport over stdio", () => {
  it("MC15: a result of 60 MiB is accepted", async () => {
    const connection = await connected(rawServer());
    expect((await readText(connection, "huge", { count: 60 }))?.length).toBe(60 * mebi);
  });

  it("MC15: a result of 65 MiB fails only its call, and the connection stays", async () => {
    const connection = await connected(rawServer());
    const [huge, other] = await Promise.allSettled([
      readText(connection, "huge", { count: 65 }),
      readText(connection, "echo", { text: "beside it" }),
    ]);
    expect(huge).toMatchObject({ status: "rejected", reason: { code: "upstream" } });
    expect(other).toEqual({ status: "fulfilled", value: "beside it" });
    expect(await readText(connection, "echo", { text: "after it" })).toBe("after it");
  });

  it("MC16: an endless line ends the server, and memory stays bounded", async () => {
    const connection = await connected(rawServer());
    const before = process.memoryUsage().rss;
    const call = readText(connection, "endless");
    await expect(call).rejects.toThrow("the server wrote a line of more than 256 MiB");
    await connection.closed;
    expect(process.memoryUsage().rss - before).toBeLessThan(300 * mebi);
  });

  it("MC19, MF08: invalid lines are skipped and counted, and the call succeeds", async () => {
    const connection = await connected(rawServer());
    expect(await readText(connection, "garbage")).toBe("after the garbage");
    expect(connection.faults).toEqual({ skipped: 8, unmatched: 0, sample: "npm WARN deprecated" });
  });

  it("MC19, MF08: a server that writes only invalid lines is ended, with one of them in the error", async () => {
    const connection = await connected(rawServer());
    const call = readText(connection, "garbage", { count: 20_000 });
    await expect(call).rejects.toThrow(
      "the server sends invalid messages, such as: npm WARN deprecated",
    );
    await connection.closed;
  });

  it("MF09, MF10: a message in chunks of a byte, with blank lines and CRLF, is read", async () => {
    const connection = await connected(rawServer());
    expect(await readText(connection, "pieces")).toBe("Jürgen 🙂");
    expect(connection.faults).toEqual({ skipped: 0, unmatched: 0 });
  });

  it("MF12: 1 GiB on standard error is drained, and its end is stored", async () => {
    const connection = await connected(rawServer());
    const before = process.memoryUsage().rss;
    expect(await readText(connection, "stderr", { count: 1024 })).toBe("drained");
    // Far less than was sent. Buffers of the pipe wait for the collector, the longer the busier the machine is.
    expect(process.memoryUsage().rss - before).toBeLessThan(400 * mebi);
    const call = readText(connection, "endless");
    await expect(call).rejects.toMatchObject({
      stderr: expect.stringMatching(/the last words$/),
    });
  });

  it("MF13: a server that does not read is overloaded after some MiB, and memory stays bounded", async () => {
    const connection = await connected(rawServer());
    await readText(connection, "stop_reading");
    const text = "a".repeat(mebi);
    const calls = Array.from({ length: 40 }, () => readText(connection, "echo", { text }));
    const settled = Promise.allSettled(calls);
    await expect(calls.at(-1)).rejects.toMatchObject({
      code: "unavailable",
      message: expect.stringContaining("does not read its input"),
    });
    await connection.close();
    const reasons = (await settled).map((one) => one.status === "rejected" && one.reason);
    const overload = reasons.filter((reason) => reason.code === "unavailable");
    expect(overload.length).toBeGreaterThan(20);
    expect(overload.length).toBeLessThan(40);
  });

  it("MF30: unmatched and duplicate responses are ignored and counted", async () => {
    const connection = await connected(rawServer());
    expect(await readText(connection, "replies")).toBe("the first");
    expect(await readText(connection, "echo", { text: "still there" })).toBe("still there");
    expect(connection.faults).toEqual({ skipped: 0, unmatched: 4 });
  });

  it("a response without a result or an error fails its call", async () => {
    const connection = await connected(rawServer());
    await expect(readText(connection, "bare")).rejects.toThrow("without a result or an error");
  });

  it("an id that is returned as a string of digits matches", async () => {
    const connection = await connected(rawServer());
    expect(await readText(connection, "digits")).toBe("with digits");
  });

  it("progress in the same chunk as the response is delivered, and none after it", async () => {
    const connection = await connected(rawServer());
    const onProgress = vi.fn<(progress: McpProgress) => void>();
    const { signal } = new AbortController();
    await connection.request("tools/call", { name: "progress" }, { signal, onProgress });
    await readText(connection, "echo", { text: "" });
    expect(onProgress.mock.calls.flat()).toEqual([{ progress: 1 }, { progress: 2 }]);
  });

  it("MF27: when a cancellation and the response cross, the request ends once", async () => {
    const connection = await connected(rawServer());
    const stop = new AbortController();
    const call = readText(connection, "stubborn", {}, stop.signal);
    await readText(connection, "echo", { text: "it has begun" });
    stop.abort();
    await expect(call).rejects.toMatchObject({ code: "cancelled" });
    // The server received the id, and its late answer was ignored.
    expect(await readText(connection, "cancelled")).toBe("1000");
    expect(connection.faults.unmatched).toBe(1);
  });

  it("a request that is cancelled before it is sent is not sent", async () => {
    const connection = await connected(rawServer());
    const call = readText(connection, "stubborn", {}, AbortSignal.abort());
    await expect(call).rejects.toMatchObject({ code: "cancelled" });
    expect(await readText(connection, "cancelled")).toBe("undefined");
  });
});

describe("a storm of list_changed", () => {
  it("MC13, MF15: of 100,000 is coalesced with flat memory, and another call is answered", async () => {
    const onNotification = vi.fn<(method: string, params: JsonObject) => void>();
    const connection = await connected(rawServer(), { onNotification });
    await readText(connection, "storm", { count: 1_000 });
    onNotification.mockClear();
    const before = process.memoryUsage().rss;
    const begun = performance.now();
    const storm = readText(connection, "storm", { count: 100_000 });
    expect(await readText(connection, "echo", { text: "beside it" })).toBe("beside it");
    await storm;
    const lasted = performance.now() - begun;
    expect(process.memoryUsage().rss - before).toBeLessThan(64 * mebi);
    // Four times a second, and once more at the end.
    await vi.waitFor(() => expect(onNotification).toHaveBeenCalled(), 60_000);
    expect(onNotification.mock.calls.length).toBeLessThanOrEqual(Math.ceil(lasted / 250) + 1);
  });

  it("the last of them is not lost", async () => {
    const onNotification = vi.fn<(method: string, params: JsonObject) => void>();
    const connection = await connected(rawServer(), { onNotification });
    await readText(connection, "storm", { count: 1_000 });
    await vi.waitFor(() => expect(onNotification).toHaveBeenCalledTimes(1), 60_000);
    await readText(connection, "storm", { count: 1_000 });
    await vi.waitFor(() => expect(onNotification).toHaveBeenCalledTimes(2), 60_000);
  });
});

describe("a server after a reconnect", () => {
  it("is not probed again for its protocol", async () => {
    const server = rawServer();
    const first = await connected(server);
    await first.close();
    const again = await connected(server);
    expect(again.era).toBe("legacy");
    expect(await readText(again, "echo", { text: "here" })).toBe("here");
  });
});
