import { describe, expect, test } from "vitest";
import type { ToolCall, ToolRun } from "@toolweave/core";
import { memoryArtifacts } from "@toolweave/core/stores";
import { call, executorFor, tool } from "../support/executor-for.ts";
import { readCode, completed, failed, textFor } from "../support/outcomes.ts";
import { nextOffset, textBytes } from "./support.ts";

const whole = Array.from({ length: 8000 }, (_, at) => `line ${at}`).join("\n");
const make = tool("make", () => whole);

function keyIn(text: string): string {
  return /art_[0-9a-f]{32}/.exec(text)?.[0] ?? "";
}

function read(args: Record<string, string | number>): ToolCall {
  return call("read_artifact", args);
}

function canRead(run: ToolRun): boolean {
  return run.toolset.get("read_artifact") !== undefined;
}

describe("read_artifact in a run", () => {
  test("is listed once there is something to read, and reads to the end", async () => {
    const run = executorFor(make, { maxOutputBytes: 10_000 }).startRun({ sessionId: "s" });
    expect(canRead(run)).toBe(false);
    const made = textFor(await run.execute(call("make")));
    expect(canRead(run)).toBe(true);
    const at = made.lastIndexOf("\n[artifact ");
    const key = keyIn(made);
    let text = made.slice(0, at);
    for (let offset = nextOffset(made); offset !== undefined;) {
      const { result } = completed(await run.execute(read({ key, offset })));
      expect(textBytes(result.content)).toBeLessThanOrEqual(10_000);
      expect(result.artifacts).toEqual([]);
      const [page, note] = result.content as readonly { text: string }[];
      text += page?.text ?? "";
      offset = nextOffset(note?.text ?? "");
    }
    expect(text).toBe(whole);
  });

  test("runs without approval in a preset in which destructive tools need one", async () => {
    const run = executorFor(make, { policy: "supervised" }).startRun();
    const made = await run.execute(call("make"));
    const [ref] = completed(made).result.artifacts;
    const found = await run.execute(read({ key: ref?.key ?? "", search: "line 4711" }));
    expect(textFor(found)).toContain("line 4712, offset ");
  });

  test("EX18: fails for an artifact that no longer exists; the result that mentions it is unchanged", async () => {
    const artifacts = memoryArtifacts();
    const run = executorFor(make, { artifacts }).startRun();
    const made = completed(await run.execute(call("make"))).result;
    const before = JSON.stringify(made);
    const key = made.artifacts[0]?.key ?? "";
    await artifacts.delete(key);
    const outcome = await run.execute(read({ key }));
    expect(readCode(outcome)).toBe("artifact_missing");
    expect(failed(outcome).error).toMatchObject({ retryable: false, audience: "model" });
    expect(JSON.stringify(made)).toBe(before);
    expect(made.value ?? whole).toBe(whole);
  });

  test("stores nothing itself, however small the limit is", async () => {
    let stored = 0;
    const artifacts = memoryArtifacts();
    const put = artifacts.put.bind(artifacts);
    Object.assign(artifacts, {
      put: (...args: Parameters<typeof put>) => (stored++, put(...args)),
    });
    for (const maxOutputBytes of [0, 3, 50, 399, 400, 1000]) {
      const run = executorFor(make, { artifacts, maxOutputBytes }).startRun();
      const key = completed(await run.execute(call("make"))).result.artifacts[0]?.key ?? "";
      const before = stored;
      for (const args of [{ key }, { key, search: "line" }, { key, offset: 7, limit: 500 }]) {
        const { content } = completed(await run.execute(read(args))).result;
        expect(textBytes(content)).toBeLessThanOrEqual(maxOutputBytes);
      }
      expect(stored).toBe(before);
    }
  });

  test("reports invalid arguments before anything is read", async () => {
    const run = executorFor(make).startRun();
    await run.execute(call("make"));
    for (const args of [{}, { key: 1 }, { key: "k", offset: -1 }, { key: "k", more: 1 }]) {
      expect(readCode(await run.execute(read(args as never)))).toBe("invalid_arguments");
    }
  });
});

describe("an artifact of a nested call", () => {
  test("belongs to the same session and caller, and can be passed on in the parent's output", async () => {
    const executor = executorFor([
      make,
      tool("parent", async (_, { scope }) => {
        const nested = completed(await scope.execute(call("make")));
        return { content: nested.result.content, artifacts: nested.result.artifacts };
      }),
    ]);
    const run = executor.startRun({ sessionId: "s", caller: { id: "c" } });
    const outcome = completed(await run.execute(call("parent")));
    const [ref] = outcome.result.artifacts;
    expect(outcome.result.artifacts).toEqual([{ ...ref, size: whole.length }]);
    expect(textFor(await run.execute(read({ key: ref?.key ?? "", limit: 6 })))).toContain("line 0");
  });
});
