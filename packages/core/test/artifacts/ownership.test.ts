import { FakeClock, settled } from "@toolweave/test-support/fake-clock";
import { describe, expect, test } from "vitest";
import { text, ToolError, type RunOptions, type ToolEvent } from "@toolweave/core";
import { memoryArtifacts, type ArtifactStore, type StoredArtifact } from "@toolweave/core/stores";
import { call, executorFor, recorded, tool } from "../support/executor-for.ts";
import { completed, textFor } from "../support/outcomes.ts";
import { nextOffset, Shelf, textBytes } from "./support.ts";

const missing = { code: "artifact_missing" };

describe("an artifact", () => {
  const owners: RunOptions[] = [
    {},
    { sessionId: "s" },
    { sessionId: "s2" },
    { caller: { id: "c" } },
    { caller: { id: "s" } },
    { sessionId: "s", caller: { id: "c" } },
    { sessionId: "s", caller: { id: "c2" } },
    { sessionId: '","c' },
  ];

  test("can be read only by the session and the caller that created it", async () => {
    const shelf = new Shelf();
    const keys = await Promise.all(
      owners.map(
        async (owner) => (await shelf.artifacts.write(owner, "x", { mediaType: "a/b" })).key,
      ),
    );
    for (const [made, key] of keys.entries()) {
      for (const [reads, owner] of owners.entries()) {
        const read = shelf.read({ key }, owner).then(
          () => true,
          (error: { code: string }) => (error.code === missing.code ? false : error.code),
        );
        expect([made, reads, await read]).toEqual([made, reads, made === reads]);
      }
    }
  });

  test("belongs to the caller's id, whatever roles it has at the time", async () => {
    const shelf = new Shelf();
    const made = { sessionId: "s", caller: { id: "c", roles: ["admin"] } };
    const { key } = await shelf.artifacts.write(made, "x", { mediaType: "text/plain" });
    expect(await shelf.read({ key }, { sessionId: "s", caller: { id: "c" } })).toHaveLength(2);
  });

  test("of a call can be read in another turn of its session, and not in another session", async () => {
    const executor = executorFor([
      tool("make", () => "x".repeat(100_000)),
      tool("take", async ({ key }, { artifacts }) =>
        String((await (await artifacts.read(String(key))).bytes()).length),
      ),
    ]);
    const alice = { sessionId: "1", caller: { id: "alice" } };
    const made = completed(await executor.execute(call("make"), alice)).result;
    const key = made.artifacts[0]?.key ?? "";
    const read = (run: RunOptions): Promise<string> =>
      executor.execute(call("take", { key }), run).then(textFor);
    expect(await read(alice)).toBe("100000");
    expect(await read({ ...alice, sessionId: "2" })).toContain("no such artifact");
    expect(await read({ ...alice, caller: { id: "bob" } })).toContain("no such artifact");
    expect(await read({})).toContain("no such artifact");
  });
});

describe("the preview of a text and the pages after it", () => {
  test("together equal the stored text", async () => {
    const shelf = new Shelf(5000);
    const whole = Array.from({ length: 3000 }, (_, at) => `línea ${at} 𝒳`).join("\n");
    const executor = executorFor(
      tool("t", () => whole),
      { artifacts: shelf.store, maxOutputBytes: 5000, clock: shelf.clock },
    );
    const modelText = textFor(await executor.execute(call("t")));
    const at = modelText.lastIndexOf("\n[artifact ");
    const key = /art_[0-9a-f]{32}/.exec(modelText.slice(at))?.[0] ?? "";
    let read = modelText.slice(0, at);
    for (let offset = nextOffset(modelText.slice(at)); offset !== undefined;) {
      const page = await shelf.page({ key, offset });
      read += page.text;
      offset = nextOffset(page.note);
    }
    expect(read).toBe(whole);
  });
});

describe("a store that fails", () => {
  const large = "x".repeat(3000);
  const tools = [
    tool("t", () => large),
    tool("pdf", () => [
      text("Here:"),
      { type: "resource" as const, resource: { uri: "a", blob: "AAEC" } },
    ]),
  ];

  function failing(put: ArtifactStore["put"]): ArtifactStore {
    return Object.assign(memoryArtifacts(), { put });
  }

  function storeFailures(events: readonly ToolEvent[]): unknown[] {
    return events.filter(({ type }) => type === "store.failed");
  }

  test.each<[string, ArtifactStore["put"], string]>([
    ["throws", () => raise("disk full"), "disk full"],
    ["rejects", () => Promise.reject(new Error("disk full")), "disk full"],
    [
      "throws a value that throws when it is read",
      () => raiseHostile(),
      "no reason could be read.",
    ],
  ])(
    "because it %s removes from the result only the part that was not stored",
    async (_, put, message) => {
      const executor = executorFor(tools, { artifacts: failing(put), maxOutputBytes: 1000 });
      const events = recorded(executor);
      const { result } = completed(await executor.execute(call("t")));
      expect(textBytes(result.content)).toBe(1000);
      expect(result.content.at(-1)).toEqual(
        text(
          "[cut: the whole output has 3000 bytes, of which 1000 are shown; the rest could not be kept; ask for less]",
        ),
      );
      expect(result.artifacts).toEqual([]);
      expect(storeFailures(events)).toMatchObject([{ store: "artifacts", message }]);
    },
  );

  test("omits a part that is not text, and the result says so", async () => {
    const executor = executorFor(tools, { artifacts: failing(() => raise("no")) });
    const outcome = completed(await executor.execute(call("pdf")));
    expect(textFor(outcome)).toContain("Here:\n[resource of 3 bytes left out]\n[cut: ");
  });

  test("by never answering is awaited for at most ten seconds, and at most half of the call's time", async () => {
    const clock = new FakeClock();
    const never = failing(() => new Promise<void>(() => {}));
    const executor = executorFor(tools, { artifacts: never, clock, maxOutputBytes: 1000 });
    for (const [options, ms] of [
      [{}, 10_000],
      [{ deadlineMs: 3000 }, 1500],
    ] as const) {
      const call1 = executor.startRun().execute(call("t"), options);
      let outcome: unknown;
      void call1.then((ended) => (outcome = ended));
      await clock.advance(ms - 1);
      expect(outcome).toBeUndefined();
      await clock.advance(1);
      await settled();
      expect(textFor(await call1)).toContain("could not be kept");
      expect(clock.timers).toBe(0);
    }
  });

  test("because it is full: an output above its quota is truncated", async () => {
    const artifacts = memoryArtifacts({ maxBytes: 2000 });
    const executor = executorFor(tools, { artifacts, maxOutputBytes: 1000 });
    expect(textFor(await executor.execute(call("t")))).toContain("could not be kept");
  });
});

describe("an artifact store", () => {
  const lies: [string, Partial<Record<keyof StoredArtifact, unknown>>, string][] = [
    ["another's artifact", { owner: '["s",null]' }, "artifact_missing"],
    ["another key", { key: `art_${"1".repeat(32)}` }, "artifact_missing"],
    ["one that has expired", { expiresAt: 0 }, "artifact_missing"],
    ["one whose expiry is not a time", { expiresAt: "soon" }, "artifact_missing"],
    ["an invalid size", { size: -1 }, "store_unavailable"],
    ["a size above all limits", { size: 2 ** 52 }, "store_unavailable"],
    ["no number", { size: "3" }, "store_unavailable"],
  ];

  test.each(lies)(
    "that describes an artifact falsely (%s) causes an error",
    async (_, lie, code) => {
      const shelf = new Shelf();
      const key = await shelf.put("abc");
      const { head } = shelf.store;
      Object.assign(shelf.store, {
        head: async (key: string) => ({ ...(await head.call(shelf.store, key)), ...lie }),
      });
      await expect(shelf.read({ key })).rejects.toMatchObject({ code });
    },
  );

  test.each<[string, ArtifactStore["read"], string]>([
    ["nothing", () => undefined, "artifact_missing"],
    ["no bytes", () => "abc" as never, "store_unavailable"],
    ["too few", () => new Uint8Array(), "store_unavailable"],
    ["too many", () => new Uint8Array(1000), "store_unavailable"],
    ["an error", () => raise("secret path /srv/x"), "store_unavailable"],
    [
      "an error of a store",
      () => {
        throw new ToolError("store_unavailable", "/srv/x.sqlite is locked.");
      },
      "store_unavailable",
    ],
  ])("that reads %s causes an error", async (_, read, code) => {
    const shelf = new Shelf();
    const key = await shelf.put("abc");
    Object.assign(shelf.store, { read });
    const error = await shelf.read({ key }).catch((error: unknown) => error);
    expect(error).toMatchObject({ code });
    expect(String(error)).not.toContain("/srv");
  });

  test("that reads byte by byte is read to the end", async () => {
    const shelf = new Shelf();
    const key = await shelf.put("abcdef");
    const { read } = shelf.store;
    Object.assign(shelf.store, {
      read: (key: string, offset: number) => read.call(shelf.store, key, offset, 1),
    });
    expect((await shelf.page({ key })).text).toBe("abcdef");
  });

  test("that never answers is abandoned after ten seconds", async () => {
    const shelf = new Shelf();
    const key = await shelf.put("abc");
    Object.assign(shelf.store, { read: () => new Promise(() => {}) });
    const reading = shelf.read({ key }).catch((error: unknown) => error);
    await shelf.clock.advance(999);
    expect(shelf.clock.timers).toBe(1);
    await shelf.clock.advance(9001);
    expect(await reading).toMatchObject({ code: "store_unavailable" });
    expect(shelf.clock.timers).toBe(0);
  });
});

test("an owner may have artifacts until the last one has expired", async () => {
  const { artifacts, clock } = new Shelf();
  const [alice, bob] = [{ sessionId: "alice" }, { sessionId: "bob" }];
  expect(artifacts.mayHave(alice)).toBe(false);
  await artifacts.write(alice, "x", { mediaType: "a/b" });
  expect([artifacts.mayHave(alice), artifacts.mayHave(bob)]).toEqual([true, false]);
  clock.skip(1000);
  expect(artifacts.mayHave(alice)).toBe(false);
});

function raise(message: string): never {
  throw new Error(message);
}

function raiseHostile(): never {
  // oxlint-disable-next-line no-throw-literal -- a store may
  throw Object.defineProperty(new Error("x"), "message", { get: () => raise("again") });
}
