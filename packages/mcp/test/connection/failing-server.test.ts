import { ToolExecutor, ToolRegistry, type ToolOutcome } from "@toolweave/core";
import { describe, expect, it, vi } from "vitest";
import { mcpSource } from "../../src/index.ts";
import { calling, fragile, lives, said } from "../support/fragile-source.ts";
import { executorOver, opened } from "../support/open-source.ts";

const readCode = (outcome: ToolOutcome): string | undefined =>
  outcome.status === "failed" ? outcome.error.code : outcome.status;

describe("a server that crashes", () => {
  it("MF04: fails all calls in progress with unavailable when it exits, and is restarted", async () => {
    const { server, pids } = fragile("");
    const source = opened(server);
    await source.ready;
    const executor = executorOver(source);
    const call = (id: string, name: string): Promise<ToolOutcome> =>
      executor.execute({ id, name, arguments: {} });
    const hanging = ["1", "2", "3"].map((id) => call(id, "hang"));
    await call("4", "echo");
    const [pid] = pids() as [number];
    process.kill(pid, "SIGKILL");
    const outcomes = await Promise.all(hanging);
    expect(outcomes.map(readCode)).toEqual(["unavailable", "unavailable", "unavailable"]);
    expect(await said(source, "pid")).toBe(`${pids()[1]}`);
    expect(source.problems).toEqual([]);
  });

  it("in a call causes an error whose cause has the exit code and the last output, without secrets", async () => {
    const source = opened({ ...fragile("").server, env: { DISK_TOKEN: "t0ken-of-a-disk" } });
    await source.ready;
    const outcome = await executorOver(source).execute({ id: "1", name: "crash", arguments: {} });
    expect(outcome).toMatchObject({
      error: {
        code: "unavailable",
        cause: {
          message:
            "the server exited with the code 3. Standard error: the disk is full, [redacted]",
        },
      },
    });
    // It is for the host: a model only reads that the server has exited.
    expect(JSON.stringify(outcome.status === "failed" && outcome.result)).not.toContain("disk");
  });

  it("receives a call again only if it may be repeated", async () => {
    const { server, pids } = fragile("");
    const source = opened({ ...server, trustAnnotations: true });
    await source.ready;
    const retry = { attempts: 3, initialDelayMs: 1 };
    const executor = new ToolExecutor({
      registry: new ToolRegistry([source]),
      policy: "autonomous",
      retry,
    });
    // `crash` is not idempotent: it is made once.
    const crashed = await executor.execute({ id: "1", name: "crash", arguments: {} });
    expect(readCode(crashed)).toBe("unavailable");
    const pid = await executor.execute({ id: "2", name: "pid", arguments: {} });
    expect(readCode(pid)).toBe("completed");
    expect(pids()).toHaveLength(2);
  });

  it("MF18: has its new tools in one change, and unchanged tools stay the same objects", async () => {
    const { server } = fragile("renewed");
    const registry = new ToolRegistry([opened(server)]);
    await registry.ready;
    const received = vi.fn<(diff: { readonly changed: readonly string[] }) => void>();
    registry.onChange(received);
    const source = opened({ ...fragile("").server, name: "still" });
    await source.ready;
    const before = source.tools();
    await calling(source, "crash");
    await new ToolExecutor({ registry, policy: "autonomous" }).execute({
      id: "1",
      name: "crash",
      arguments: {},
    });
    await vi.waitFor(() => expect(received).toHaveBeenCalled(), { timeout: 60_000 });
    expect(received).toHaveBeenCalledTimes(1);
    expect(received.mock.calls[0]?.[0].changed).toHaveLength(8);
    await said(source, "echo");
    await source.refresh();
    expect(source.tools()).toBe(before);
  });

  it("MF05: after every start makes its tools unavailable with a problem, and does not affect others", async () => {
    const { server, pids } = fragile("brief");
    const broken = mcpSource({ ...server, prefix: "broken" });
    const registry = new ToolRegistry([broken, mcpSource({ ...fragile("").server, name: "well" })]);
    try {
      await registry.ready;
      await vi.waitFor(() => expect(pids().length).toBeGreaterThan(1), { timeout: 60_000 });
      await vi.waitFor(
        () => expect(registry.get("broken__echo")?.availability?.status).toBe("unavailable"),
        { timeout: 60_000, interval: 5 },
      );
      expect(registry.problems).toMatchObject([
        {
          source: "fragile",
          severity: "warning",
          message: expect.stringMatching(/^Its tools cannot be called now: The MCP server fragile/),
        },
      ]);
      expect(await said({ ...broken, tools: () => [registry.get("echo") as never] }, "echo")).toBe(
        "echo",
      );
      expect(pids().length).toBeLessThan(4);
    } finally {
      await registry.close();
    }
  });
});

describe("a server that hangs", () => {
  it("MF02: at its start is killed with its child processes after the timeout", async () => {
    const { server, pids } = fragile("mute,stubborn,children", { timeoutMs: 500 });
    const source = opened(server);
    await expect(source.ready).rejects.toMatchObject({ code: "timeout" });
    await source.close();
    expect(pids().length).toBeGreaterThanOrEqual(2);
    await vi.waitFor(() => expect(pids().filter(lives)).toEqual([]), { timeout: 60_000 });
  });

  it("MF06: in a call is sent a cancellation, its late response is dropped, and the connection stays", async () => {
    const { server, pids } = fragile("");
    const source = opened(server);
    await source.ready;
    const timeoutMs = 50;
    const late = await calling(source, "late", { timeoutMs });
    expect(readCode(late)).toBe("timeout");
    const cancelled = JSON.parse(await said(source, "cancelled")) as number[];
    expect(cancelled).toHaveLength(1);
    // The late answer arrives in between.
    expect(await said(source, "slow")).toBe("done");
    expect(await said(source, "echo")).toBe("echo");
    expect(pids()).toHaveLength(1);
  });
});

describe("a tool that is removed while it is called", () => {
  it("MF16: ends its call, and is unknown to the next", async () => {
    const source = opened(fragile("").server);
    const registry = new ToolRegistry([source]);
    await registry.ready;
    const received = vi.fn<() => void>();
    registry.onChange(received);
    expect(await said(source, "slow")).toBe("done");
    await vi.waitFor(() => expect(received).toHaveBeenCalledTimes(1), 60_000);
    expect(readCode(await calling(source, "slow"))).toBe("not_found");
  });
});

describe("a source that is closed", () => {
  it("MF28: while calls run ends them, the server and its child processes", async () => {
    const { server, pids } = fragile("children");
    const source = opened(server);
    await source.ready;
    const calls = [calling(source, "hang"), calling(source, "hang")];
    await said(source, "echo");
    expect(pids().filter(lives)).toHaveLength(2);
    await source.close();
    expect((await Promise.all(calls)).map(readCode)).toEqual(["unavailable", "unavailable"]);
    await vi.waitFor(() => expect(pids().filter(lives)).toEqual([]), 60_000);
  });

  it("MF29, MC33: kills a server that does not exit, and its children", async () => {
    const { server, pids } = fragile("stubborn,children");
    const source = opened(server);
    await source.ready;
    await source.close();
    await vi.waitFor(() => expect(pids().filter(lives)).toEqual([]), 60_000);
    expect(pids()).toHaveLength(2);
  });
});

describe("whenUnavailable: drop", () => {
  it("removes the tools while there is no server, and restores them in one change", async () => {
    const { server, pids } = fragile("once,brief");
    const registry = new ToolRegistry([opened({ ...server, whenUnavailable: "drop" })]);
    await registry.ready;
    const sizes: number[] = [];
    registry.onChange(() => sizes.push(registry.size));
    // The first server exits by itself, the second is killed soon after its start: that counts as a
    // failure.
    await vi.waitFor(() => expect(pids()).toHaveLength(2), { timeout: 60_000, interval: 5 });
    process.kill(pids()[1] as number, "SIGKILL");
    await vi.waitFor(() => expect(registry.size).toBe(0), { timeout: 60_000, interval: 5 });
    await vi.waitFor(() => expect(registry.size).toBe(8), { timeout: 60_000 });
    // The removal may have been before the listener was added, on a slow machine.
    expect(sizes.filter((size) => size > 0)).toEqual([8]);
    expect(registry.problems).toEqual([]);
  });
});
