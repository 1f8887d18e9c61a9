import { describe, expect, test, vi } from "vitest";
import { ToolError, ToolRegistry, type Tool } from "@toolweave/core";
import {
  loadedSource,
  SecretSet,
  type LoadedSource,
  type LoadedSourceOptions,
} from "@toolweave/core/adapter";
import { foreignTool } from "../support/executor-for.ts";

type Loaded = Awaited<ReturnType<LoadedSourceOptions["load"]>>;

/** A source that loads these lists, one after the other, and then always the last one. */
function listing(...lists: readonly (Loaded | Error)[]): LoadedSource {
  const left = [...lists];
  return loadedSource({
    id: "s",
    load: () => {
      const list = left.length > 1 ? left.shift() : left[0];
      if (list instanceof Error) throw list;
      return list ?? [];
    },
  });
}

/** A source whose loads end on request of a test. */
function paused(close?: () => void): {
  source: LoadedSource;
  loads: { give(tools: Loaded): void; fail(error: unknown): void; signal: AbortSignal }[];
} {
  const loads: ReturnType<typeof paused>["loads"] = [];
  const source = loadedSource({
    id: "s",
    load: (signal) =>
      new Promise((give, fail) => {
        loads.push({ give, fail, signal });
      }),
    ...(close === undefined ? {} : { close }),
  });
  return { source, loads };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const described = (name: string, description: string): Tool =>
  foreignTool(name, { spec: { description } });

describe("ready", () => {
  test("resolves with the first list, after its announcement", async () => {
    const source = listing([foreignTool("a")]);
    const received: string[][] = [];
    source.onChange(() => received.push(source.tools().map(({ spec }) => spec.name)));
    expect(source.tools()).toEqual([]);
    await source.ready;
    expect(received).toEqual([["a"]]);
  });

  test("rejects with the ToolError of load, and need not be awaited", async () => {
    const error = new ToolError("auth_required", "Log in.");
    const source = listing(error);
    await turn();
    await expect(source.ready).rejects.toBe(error);
    expect([source.tools(), source.problems]).toEqual([[], []]);
  });

  test.each([
    ["an error", () => Promise.reject(new TypeError("fetch failed")), "fetch failed"],
    ["no error", () => Promise.reject(undefined), "undefined"],
    ["no list", () => Promise.resolve({}) as never, "not iterable"],
  ])("rejects with unavailable if load returns %s", async (_, load, reason) => {
    const source = loadedSource({ id: "menu", load });
    await expect(source.ready).rejects.toMatchObject({
      code: "unavailable",
      message: expect.stringMatching(`^The tools of menu cannot be loaded: .*${reason}`),
    });
  });

  test("exists before anything is loaded, so that load may use the source", async () => {
    const source: LoadedSource = loadedSource({ id: "s", load: () => [foreignTool(source.id)] });
    await source.ready;
    expect(source.tools()[0]?.spec.name).toBe("s");
  });

  test("that failed is repaired by a refresh", async () => {
    const source = listing(new Error("down"), [foreignTool("a")]);
    const received = vi.fn<() => void>();
    source.onChange(received);
    await expect(source.ready).rejects.toThrow("down");
    await source.refresh();
    expect(source.tools()).toHaveLength(1);
    expect(received).toHaveBeenCalledTimes(1);
  });
});

describe("a refresh", () => {
  test("returns another array, keeps the old one unchanged, and reuses unchanged tools", async () => {
    const source = listing(
      [described("a", "One."), described("b", "Two.")],
      [described("a", "One."), described("b", "Three."), described("c", "Four.")],
    );
    await source.ready;
    const before = source.tools();
    const copy = [...before];
    await source.refresh();
    const after = source.tools();
    expect(before).toEqual(copy);
    expect(after.map((tool) => before.includes(tool))).toEqual([true, false, false]);
    expect(after[1]?.spec.description).toBe("Three.");
  });

  test("that finds the same tools is not announced, in any order", async () => {
    const source = listing(
      [foreignTool("a"), foreignTool("b")],
      [foreignTool("b"), foreignTool("a")],
    );
    await source.ready;
    const before = source.tools();
    const received = vi.fn<() => void>();
    source.onChange(received);
    await source.refresh();
    expect(source.tools()).toBe(before);
    expect(received).not.toHaveBeenCalled();
  });

  test("compares fingerprints if there are some, and reads no schema for it", async () => {
    let read = 0;
    const made = (name: string, fingerprint: string): Tool => {
      const lazy = foreignTool(name, { fingerprint });
      Object.defineProperty(lazy.spec, "inputSchema", { enumerable: true, get: () => (read += 1) });
      return lazy;
    };
    const source = listing([made("a", "1"), made("b", "1")], [made("a", "1"), made("b", "2")]);
    await source.ready;
    const [a, b] = source.tools();
    await source.refresh();
    expect(source.tools().map((tool) => [tool === a, tool === b])).toEqual([
      [true, false],
      [false, false],
    ]);
    expect(read).toBe(0);
  });

  test("reads no schema of a tool that is listed for the first time", async () => {
    const lazy = foreignTool("a");
    const schema = vi.fn<() => object>(() => ({ type: "object" }));
    Object.defineProperty(lazy.spec, "inputSchema", { enumerable: true, get: schema });
    await listing([lazy]).ready;
    expect(schema).not.toHaveBeenCalled();
  });

  test.each<[string, Partial<Tool>]>([
    ["availability", { availability: { status: "unavailable", reason: "It is being repaired." } }],
    ["right to delegate", { delegates: true }],
  ])("treats a tool as changed if its %s differs", async (_, more) => {
    const tools = [{ ...foreignTool("a"), ...more }, foreignTool("a")] as const;
    const source = listing(...tools.map((tool) => [tool]));
    for (const tool of tools) {
      await (tool === tools[0] ? source.ready : source.refresh());
      expect(source.tools()[0]).toBe(tool);
    }
  });

  test("that fails rejects, keeps the tools, and is in problems until one succeeds", async () => {
    const broken = { subject: "b.sql", message: "It is empty." };
    const source = listing(
      { tools: [foreignTool("a")], problems: [broken] },
      new Error("the disk is gone"),
      new ToolError("timeout", "It took too long."),
      [foreignTool("a")],
    );
    await source.ready;
    const before = source.tools();
    await expect(source.refresh()).rejects.toMatchObject({ code: "unavailable" });
    await expect(source.refresh()).rejects.toMatchObject({ code: "timeout" });
    expect(source.tools()).toBe(before);
    const message = "Its tools could not be loaded again, and stay as they are: It took too long.";
    expect(source.problems).toEqual([broken, { subject: "s", message, severity: "warning" }]);
    await source.refresh();
    expect(source.problems).toEqual([]);
  });

  test("that fails without being awaited is no unhandled rejection", async () => {
    const source = listing([], new Error("down"));
    await source.ready;
    void source.refresh();
    await turn();
    expect(source.problems).toHaveLength(1);
  });

  test("is shared with other requests during a load", async () => {
    const { source, loads } = paused();
    await turn();
    const refreshes = [source.refresh(), source.refresh(), source.refresh()];
    await turn();
    expect(loads).toHaveLength(1);
    loads[0]?.give([foreignTool("old")]);
    await source.ready;
    await turn();
    expect(loads).toHaveLength(2);
    loads[1]?.give([foreignTool("new")]);
    await Promise.all(refreshes);
    await turn();
    expect(loads).toHaveLength(2);
    expect(source.tools().map(({ spec }) => spec.name)).toEqual(["new"]);
  });

  test("that a listener requests is made, and ends", async () => {
    const source = listing([foreignTool("a")], [foreignTool("b")]);
    let left = 2;
    source.onChange(() => {
      left -= 1;
      if (left >= 0) void source.refresh();
    });
    await source.ready;
    await source.refresh();
    expect(left).toBe(0);
    expect(source.tools().map(({ spec }) => spec.name)).toEqual(["b"]);
  });
});

describe("a listener", () => {
  test("that throws, or is removed during a notification, does not affect others", async () => {
    const source = listing([foreignTool("a")], [foreignTool("b")]);
    const [late, other] = [vi.fn<() => void>(), vi.fn<() => void>()];
    source.onChange(() => {
      stop();
      throw new Error("listener");
    });
    const stop = source.onChange(late);
    source.onChange(other);
    source.onChange(other);
    await source.ready;
    expect([late, other].map(({ mock }) => mock.calls.length)).toEqual([0, 2]);
  });

  test("that is added twice is removed one by one", async () => {
    const source = listing([foreignTool("a")], [foreignTool("b")]);
    const received = vi.fn<() => void>();
    const stop = source.onChange(received);
    source.onChange(received);
    stop();
    stop();
    await source.ready;
    expect(received).toHaveBeenCalledTimes(1);
  });

  test("that closes the source prevents notifications of removed tools", async () => {
    const source = listing([foreignTool("a")]);
    const late = vi.fn<() => void>();
    source.onChange(() => void source.close());
    source.onChange(late);
    await source.ready;
    expect(late).not.toHaveBeenCalled();
    expect(source.tools()).toEqual([]);
  });
});

describe("close", () => {
  test("aborts the current load, and releases resources once it has ended", async () => {
    const release = vi.fn<() => void>();
    const { source, loads } = paused(release);
    await turn();
    const [load] = loads;
    const waiting = source.refresh();
    const closed = source.close();
    expect(load?.signal.aborted).toBe(true);
    await turn();
    expect(release).not.toHaveBeenCalled();
    load?.fail(load.signal.reason);
    await closed;
    await expect(source.ready).rejects.toMatchObject({ code: "cancelled" });
    await expect(waiting).rejects.toMatchObject({
      code: "cancelled",
      message: "The source s is closed.",
    });
    expect([loads.length, release.mock.calls.length]).toEqual([1, 1]);
    expect(source.problems).toEqual([]);
  });

  test("of a source that has not begun to load prevents it from loading", async () => {
    const { source, loads } = paused();
    await source.close();
    await expect(source.ready).rejects.toMatchObject({ code: "cancelled" });
    expect(loads).toEqual([]);
  });

  test("is idempotent, also if called from its own callback", async () => {
    const release = vi.fn<() => void>(() => void source.close());
    const source: LoadedSource = loadedSource({
      id: "s",
      load: (signal) => {
        signal.addEventListener("abort", () => void source.close());
        return [foreignTool("a")];
      },
      close: release,
    });
    await source.ready;
    await Promise.all([source.close(), source.close(), source[Symbol.asyncDispose]()]);
    await source.close();
    expect(release).toHaveBeenCalledTimes(1);
  });

  test("does not change a list that a caller holds, and announces nothing", async () => {
    const source = listing([foreignTool("a")], [foreignTool("b")]);
    await source.ready;
    const kept = source.tools();
    const received = vi.fn<() => void>();
    source.onChange(received);
    const late = source.refresh();
    await source.close();
    source.onChange(received);
    await expect(late).rejects.toMatchObject({ code: "cancelled" });
    await expect(source.refresh()).rejects.toMatchObject({ code: "cancelled" });
    expect(received).not.toHaveBeenCalled();
    expect([kept.length, source.tools()]).toEqual([1, []]);
  });

  test("reports the error if a resource cannot be released", async () => {
    const source = loadedSource({
      id: "s",
      load: () => [],
      close: () => {
        throw new Error("stuck");
      },
    });
    await expect(source.close()).rejects.toThrow("stuck");
  });
});

describe("a loaded source", () => {
  test("can be used in a registry like any other", async () => {
    const source = listing([foreignTool("a")], [foreignTool("a"), foreignTool("b")]);
    const registry = new ToolRegistry([source]);
    await registry.ready;
    const diffs = vi.fn<(diff: unknown) => void>();
    registry.onChange(diffs);
    await source.refresh();
    expect(diffs).toHaveBeenCalledExactlyOnceWith({
      added: ["b"],
      removed: [],
      changed: [],
      version: 2,
    });
    await registry.close();
    expect(source.tools()).toEqual([]);
  });

  test("reveals none of its secrets if it cannot load", async () => {
    const secret = "key-Zq7xWv93TmYk";
    const secrets = new SecretSet([secret]);
    let tries = 0;
    const source = loadedSource({
      id: "s",
      secrets,
      load: () => {
        tries += 1;
        if (tries === 2) return [];
        throw new Error(`GET /tools?key=${secret} failed`);
      },
    });
    const error: unknown = await source.ready.catch((thrown: unknown) => thrown);
    await source.refresh();
    await expect(source.refresh()).rejects.toThrow("?key=[redacted]");
    const { message, stack, cause } = error as Error;
    const texts = [message, stack, String(cause), (cause as Error).stack, source.problems];
    expect(JSON.stringify(texts)).not.toContain(secret);
    expect([source.secrets, source.problems.length]).toEqual([secrets, 1]);
  });

  test("states why its tools cannot be called, as long as they cannot, and reveals no secret", async () => {
    const secrets = new SecretSet(["key-Zq7xWv93TmYk"]);
    let trouble: ToolError | undefined;
    const source = loadedSource({
      id: "s",
      secrets,
      load: () => [foreignTool("a")],
      trouble: () => trouble,
    });
    await source.ready;
    expect(source.problems).toEqual([]);
    trouble = new ToolError("unavailable", "It said: key-Zq7xWv93TmYk.");
    const message = "Its tools cannot be called now: It said: [redacted].";
    expect(source.problems).toEqual([{ subject: "s", message, severity: "warning" }]);
    await source.close();
    expect(source.problems).toEqual([]);
  });

  test("trusts annotations only if the option is set", () => {
    const trust = (more: Partial<LoadedSourceOptions>): boolean | undefined =>
      loadedSource({ id: "s", load: () => [], ...more }).trustAnnotations;
    expect([trust({}), trust({ trustAnnotations: true })]).toEqual([false, true]);
  });

  test("refuses an unknown option", () => {
    const options = { id: "s", load: () => [], onClose: () => {} };
    expect(() => loadedSource(options)).toThrow('loadedSource: unknown option "onClose".');
  });
});
