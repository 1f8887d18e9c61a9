import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { folder } from "./support/open-documents.ts";
import { api, before, file, get, loaded, served } from "./support/refresh-source.ts";

describe("watch", () => {
  function fakeTime(): void {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
    onTestFinished(() => void vi.useRealTimers());
  }

  /** Advances the time until a condition holds: the test waits for files and sockets. */
  async function passes(ms: number, until: () => boolean): Promise<void> {
    await vi.advanceTimersByTimeAsync(ms);
    await vi.waitFor(() => expect(until()).toBe(true), { interval: 5, timeout: 60_000 });
  }

  test("finds that a file has changed, once it is stable", async () => {
    fakeTime();
    const it = await file({ watch: 1_000 });
    it.write("{ half writ");
    await passes(1_000, () => vi.getTimerCount() === 1);
    it.write(api({ "/a": get("a") }));
    await passes(200, () => it.diffs.length > 0);
    expect(it.diffs).toMatchObject([{ added: [], removed: ["b", "c"], changed: [] }]);
    expect(it.source.problems).toEqual([]);
  });

  test("finds that a file which an operation needs now exists", async () => {
    fakeTime();
    const place = folder({ "api.json": api({ "/b": get("b", { $ref: "b.json" }) }) });
    const it = await loaded(join(place, "api.json"), { watch: true });
    it.source.realize();
    expect(it.source.tools()).toEqual([]);
    writeFileSync(join(place, "b.json"), "{}");
    await passes(2_000, () => vi.getTimerCount() === 1);
    await passes(200, () => it.source.tools().length === 1);
  });

  test("does not read a broken file repeatedly, and ends with the source", async () => {
    fakeTime();
    const it = await file({ watch: 1_000 });
    it.write("{ broken");
    const refresh = vi.spyOn(it.source, "refresh");
    await passes(1_000, () => vi.getTimerCount() === 1);
    await passes(200, () => it.source.problems.length === 1);
    for (let look = 0; look < 3; look++) await passes(1_000, () => vi.getTimerCount() === 1);
    expect(refresh).toHaveBeenCalledTimes(1);
    await it.source.close();
    expect(vi.getTimerCount()).toBe(0);
  });

  test("requests a server no earlier than it allowed when it had nothing new, either", async () => {
    fakeTime();
    const { url, seen } = await served(({ headers }) => ({
      status: headers["if-none-match"] === undefined ? 200 : 304,
      headers: { etag: '"1"', "cache-control": "max-age=600" },
      ...(headers["if-none-match"] === undefined ? { body: before } : {}),
    }));
    await loaded(url, { watch: 1_000, timeoutMs: 0 });
    await passes(601_000, () => seen.length === 2 && vi.getTimerCount() === 1);
    await vi.advanceTimersByTimeAsync(590_000);
    expect(seen).toHaveLength(2);
  });

  test("requests a server no earlier than it allowed, and again if it answers with an error", async () => {
    fakeTime();
    let status = 200;
    const { url, seen } = await served(() => ({
      status,
      headers:
        status === 200 ? { "cache-control": "public, max-age=600" } : { "retry-after": "60" },
      body: status === 200 ? before : {},
    }));
    const it = await loaded(url, { watch: 1_000, timeoutMs: 0 });
    await vi.advanceTimersByTimeAsync(590_000);
    expect(seen).toHaveLength(1);
    status = 503;
    await passes(20_000, () => seen.length === 2);
    await vi.waitFor(() => expect(it.source.problems).toHaveLength(1), { timeout: 60_000 });
    await vi.advanceTimersByTimeAsync(55_000);
    expect(seen).toHaveLength(2);
    status = 200;
    await passes(10_000, () => seen.length === 3);
    await vi.waitFor(() => expect(it.source.problems).toHaveLength(0), { timeout: 60_000 });
  });
});
