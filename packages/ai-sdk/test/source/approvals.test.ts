import { tool, type ToolSet } from "ai";
import type { PolicyPreset } from "@toolweave/core";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { AiSourceOptions } from "../../src/index.ts";
import { readCode, sourced, readText, type Sourced } from "../support/sourced.ts";

/** The tool that removes exhibits, and the removed ones. */
interface Removing extends Sourced {
  readonly removed: number[];
}

type NeedsApproval = Extract<ToolSet[string]["needsApproval"], (...given: never[]) => unknown>;

/**
 * Under a policy that allows reads; `remove` is declared as one here, so that nothing else asks.
 */
async function removing(
  needsApproval: boolean | NeedsApproval | undefined,
  options: AiSourceOptions = {},
): Promise<Removing> {
  const removed: number[] = [];
  const remove = tool({
    inputSchema: z.object({ id: z.int().transform((id) => id * 10) }),
    ...(needsApproval === undefined ? {} : { needsApproval }),
    execute: ({ id }) => {
      removed.push(id);
      return "removed";
    },
  });
  const annotations = { remove: { readOnlyHint: true } };
  const made = await sourced({ remove }, { annotations, ...options }, {});
  return { ...made, removed };
}

describe("a tool of the SDK that needs approval", () => {
  it("asks the host's person, and runs after an approval", async () => {
    const { call, executor, removed } = await removing(true);
    const outcome = await call("remove", { id: 7 });
    if (outcome.status !== "interrupted") throw new Error("It did not ask.");
    expect(removed).toEqual([]);
    const resumed = await executor.resume(outcome.interruption, [{ type: "approve" }]);
    expect(readText(resumed)).toBe("removed");
    expect(removed).toEqual([70]);
  });

  it("asks for the calls that its own function selects", async () => {
    const seen: unknown[] = [];
    const { call, removed } = await removing(
      (input: unknown, options: { readonly toolCallId: string }) => {
        seen.push(input, options.toolCallId);
        return (input as { id: number }).id > 50;
      },
    );
    expect((await call("remove", { id: 7 })).status).toBe("interrupted");
    expect(readText(await call("remove", { id: 1 }))).toBe("removed");
    expect(seen).toEqual([{ id: 70 }, "call_1", { id: 10 }, "call_2"]);
    expect(removed).toEqual([10]);
  });

  it("does not run if its function fails", async () => {
    const { call, removed } = await removing(() => {
      throw new Error("no answer");
    });
    const outcome = await call("remove", { id: 7 });
    expect(outcome.status).toBe("failed");
    expect(removed).toEqual([]);
  });
});

describe("the SDK's toolApproval, for tools in a registry,", () => {
  it("asks with its reason", async () => {
    const reason = "It is the last of its kind";
    const { call } = await removing(undefined, {
      toolApproval: { remove: { type: "user-approval", reason } },
    });
    const outcome = await call("remove", { id: 7 });
    if (outcome.status !== "interrupted") throw new Error("It did not ask.");
    expect(outcome.interruption.requests).toMatchObject([{ permission: { summary: reason } }]);
  });

  it("refuses what it denies", async () => {
    const { call, removed } = await removing(undefined, {
      toolApproval: {
        remove: (input: { id: number }) =>
          input.id === 70 ? { type: "denied", reason: "not that one" } : undefined,
      },
    });
    const outcome = await call("remove", { id: 7 });
    expect(readCode(outcome)).toBe("permission_denied");
    expect(readText(outcome)).toContain("not that one");
    expect(readText(await call("remove", { id: 1 }))).toBe("removed");
    expect(removed).toEqual([10]);
  });

  it("takes precedence over the tool's own setting, as in the SDK", async () => {
    const { call } = await removing(true, { toolApproval: { remove: "approved" } });
    expect(readText(await call("remove", { id: 7 }))).toBe("removed");
  });

  it("can be one function for every tool", async () => {
    const { call, removed } = await removing(true, {
      toolApproval: ({ toolCall }) => (toolCall.toolName === "remove" ? "denied" : "approved"),
    });
    expect(readCode(await call("remove", { id: 7 }))).toBe("permission_denied");
    expect(removed).toEqual([]);
  });

  it("loosens no policy", async () => {
    const { call } = await removing(true, {
      annotations: {},
      toolApproval: { remove: "approved" },
    });
    expect((await call("remove", { id: 7 })).status).toBe("interrupted");
  });
});

describe("a tool of the SDK that is code of the host", () => {
  const weather = tool({ inputSchema: z.object({}), execute: () => "clear" });
  const wipe = tool({ inputSchema: z.object({}), execute: () => "wiped" });
  const pay = tool({ inputSchema: z.object({}), needsApproval: true, execute: () => "paid" });
  const annotations = { wipe: { destructiveHint: true } };

  it.each<[PolicyPreset, string, string]>([
    ["supervised", "completed interrupted interrupted", "interrupted interrupted interrupted"],
    ["autonomous", "completed completed interrupted", "completed completed interrupted"],
    ["readOnly", "failed failed failed", "failed failed failed"],
    ["strict", "failed failed failed", "failed failed failed"],
  ])("runs like a function of defineTool, under %s", async (policy, own, other) => {
    const statuses = async (options: AiSourceOptions): Promise<string> => {
      const { call } = await sourced(
        { weather, wipe, pay },
        { annotations, ...options },
        { policy },
      );
      const outcomes = await Promise.all(["weather", "wipe", "pay"].map((name) => call(name)));
      return outcomes.map(({ status }) => status).join(" ");
    };
    expect(await statuses({ ownCode: true })).toBe(own);
    expect(await statuses({})).toBe(other);
  });

  it("is named as such in its provenance", async () => {
    const { source } = await sourced({ weather }, { ownCode: true });
    expect(source.tools()[0]?.spec.provenance).toEqual({
      adapter: "code",
      source: "ai-sdk",
      origin: { tool: "weather" },
    });
  });
});
