import type { CanUseTool, OnElicitation } from "@anthropic-ai/claude-agent-sdk";
import {
  defineTool,
  suspend,
  type Interruption,
  type JsonObject,
  type Tool,
} from "@toolweave/core";
import { memoryPendingCalls } from "@toolweave/core/stores";
import { describe, expect, it, vi } from "vitest";
import { claudeTools } from "../../src/claude/index.ts";
import { asking, claudeProcess } from "../support/claude-process.ts";
import { readText } from "../support/open-gateway.ts";

/** Removes its arguments, once a person has approved. */
function removing(removed: number[] = []): Tool {
  return defineTool({
    name: "remove",
    description: "Remove an exhibit.",
    input: { type: "object", properties: { id: { type: "integer" } }, required: ["id"] },
    annotations: { destructiveHint: true },
    execute: ({ id }) => {
      removed.push(id);
      return `removed ${id}`;
    },
  }) as Tool;
}

const yes: CanUseTool = async (_name, input) => ({ behavior: "allow", updatedInput: input });
const elsewhere = { howToAnswer: () => "ask at the desk" };

describe("a call that was allowed", () => {
  it("runs only with the arguments that were allowed", async () => {
    const removed: number[] = [];
    const { ask, call } = await claudeProcess([removing(removed)], {
      canUseTool: yes,
      ...elsewhere,
    });
    expect(await ask("remove", { id: 7 })).toMatchObject({ behavior: "allow" });
    expect(readText(await call("remove", { id: 8 }))).toContain("ask at the desk");
    // The first call with its id consumes it.
    expect(readText(await call("remove", { id: 7 }))).toContain("ask at the desk");
    expect(removed).toEqual([]);
  });

  it("runs once", async () => {
    const removed: number[] = [];
    const { ask, call } = await claudeProcess([removing(removed)], {
      canUseTool: yes,
      ...elsewhere,
    });
    await ask("remove", { id: 7 });
    const both = await Promise.all([call("remove", { id: 7 }), call("remove", { id: 7 })]);
    expect(both.map(readText).filter((text) => text === "removed 7")).toHaveLength(1);
    expect(removed).toEqual([7]);
  });

  it("does not allow a different call", async () => {
    const removed: number[] = [];
    const { ask, call } = await claudeProcess([removing(removed)], {
      canUseTool: yes,
      ...elsewhere,
    });
    await ask("remove", { id: 7 });
    expect((await call("remove", { id: 7 }, "toolu_2")).isError).toBe(true);
    expect(removed).toEqual([]);
  });

  it("does not add a rule that would allow others", async () => {
    const rules = [{ toolName: "mcp__toolweave__remove" }];
    const { ask } = await claudeProcess([removing()], {
      canUseTool: async () => ({
        behavior: "allow",
        updatedPermissions: [
          { type: "addRules", rules, behavior: "allow", destination: "userSettings" },
        ],
      }),
    });
    expect(await ask("remove", { id: 7 })).toEqual({ behavior: "allow", updatedInput: { id: 7 } });
  });

  it("is removed, oldest first, if more than a thousand calls were never made", async () => {
    const removed: number[] = [];
    const { ask, call } = await claudeProcess([removing(removed)], {
      canUseTool: yes,
      ...elsewhere,
    });
    for (let at = 0; at <= 1_000; at++)
      await ask("remove", { id: at }, { toolUseID: `toolu_${at}` });
    await call("remove", { id: 0 }, "toolu_0");
    await call("remove", { id: 1 }, "toolu_1");
    expect(removed).toEqual([1]);
  });

  it("goes through hooks once, although permission is requested first", async () => {
    const beforeCall = vi.fn<() => undefined>();
    const { ask, call } = await claudeProcess(
      [removing()],
      { canUseTool: yes },
      { policy: "autonomous", hooks: [{ beforeCall }] },
    );
    await ask("remove", { id: 7 });
    expect(readText(await call("remove", { id: 7 }))).toBe("removed 7");
    expect(beforeCall).toHaveBeenCalledTimes(1);
  });
});

describe("a call inside of call_tool", () => {
  const inside = (id: number, name = "remove"): object => ({ name, arguments: { id } });
  const written = { name: "remove", arguments: '{"id":7}' };

  it.each<[string, object, object | undefined, number[]]>([
    ["unchanged", inside(7), undefined, [7]],
    ["unchanged, with arguments as text", written, { ...written }, [7]],
    ["with other arguments", inside(7), inside(8), [8]],
    ["and not as a call of something else", inside(7), inside(7, "keep"), []],
  ])("is asked about, and runs if it is approved %s", async (_how, sent, updatedInput, runs) => {
    const removed: number[] = [];
    const said: unknown[] = [];
    const { ask, call } = await claudeProcess([removing(removed)], {
      search: true,
      canUseTool: async (_name, _input, { description }) => {
        said.push(description);
        return { behavior: "allow", ...(updatedInput && { updatedInput: { ...updatedInput } }) };
      },
    });
    const allowed = await ask("call_tool", sent);
    expect(said).toEqual([expect.stringContaining("remove")]);
    if (allowed?.behavior === "allow") await call("call_tool", allowed.updatedInput ?? {});
    expect(removed).toEqual(runs);
  });
});

describe("canUseTool", () => {
  it("calls the host's handler for every other tool, whatever the name of its server", async () => {
    const host = vi.fn<CanUseTool>(async () => ({ behavior: "deny", message: "no" }));
    const { claude, ask } = await claudeProcess([removing()], { canUseTool: host });
    const options = asking({ mcpServer: { name: "toolweave", source: "project" } });
    const name = "mcp__toolweave__remove";
    await claude.options.canUseTool(name, { id: 7 }, options);
    expect(host).toHaveBeenLastCalledWith(name, { id: 7 }, options);
    const bash = { ...asking(), mcpServer: undefined } as never;
    await claude.options.canUseTool("Bash", { command: "ls" }, bash);
    expect(host).toHaveBeenLastCalledWith("Bash", { command: "ls" }, bash);
    expect(await ask("look", {}, { mcpServer: { name: "other", source: "sdk" } })).toMatchObject({
      message: "no",
    });
  });

  it("denies every other tool if there is no handler", async () => {
    const { claude } = await claudeProcess([removing()]);
    const { mcpServer: _, ...options } = asking();
    expect(await claude.options.canUseTool("Bash", {}, options)).toMatchObject({
      behavior: "deny",
    });
  });

  it("does not allow a call that is answered out of band", async () => {
    const removed: number[] = [];
    const { ask, call } = await claudeProcess([removing(removed)], {
      canUseTool: async () => null,
      ...elsewhere,
    });
    expect(await ask("remove", { id: 7 })).toBeNull();
    expect((await call("remove", { id: 7 })).isError).toBe(true);
    expect(removed).toEqual([]);
  });

  it("passes the reason of a denial to the executor", async () => {
    const audit: unknown[] = [];
    const { ask } = await claudeProcess(
      [removing()],
      {
        caller: { id: "emma" },
        canUseTool: async () => ({ behavior: "deny", message: "It is a loan." }),
      },
      {
        audit: {
          write: (record) => {
            audit.push(record);
          },
        },
      },
    );
    expect(await ask("remove", { id: 7 })).toEqual({ behavior: "deny", message: "It is a loan." });
    expect(audit).toContainEqual(expect.objectContaining({ decision: "rejected", by: "emma" }));
  });

  it("passes the host's metadata to the process that answers later", async () => {
    const pendingCalls = memoryPendingCalls();
    const add = vi.spyOn(pendingCalls, "add");
    const { ask } = await claudeProcess(
      [removing()],
      { canUseTool: yes, callMetadata: () => ({ room: "hall" }) },
      { pendingCalls },
    );
    await ask("remove", { id: 7 });
    expect(add.mock.calls.map(([interruption]) => interruption.call)).toMatchObject([
      { id: "toolu_1", name: "remove", metadata: { room: "hall" } },
    ]);
  });

  it("handles endlessly nested arguments like any invalid call", async () => {
    let nested: object = {};
    for (let depth = 0; depth < 5_000; depth++) nested = { nested };
    const { ask, call } = await claudeProcess([removing()], { canUseTool: yes });
    await ask("remove", nested);
    const result = await call("remove", { nested: {} });
    expect(result.isError).toBe(true);
  });
});

describe("a host with onElicitation", () => {
  it("receives approvals that canUseTool did not give", async () => {
    const removed: number[] = [];
    const asked: unknown[] = [];
    const { call } = await claudeProcess([removing(removed)], {
      onElicitation: async (request) => {
        asked.push(request);
        return { action: "accept", content: { decision: "approve" } };
      },
    });
    expect(readText(await call("remove", { id: 7 }))).toBe("removed 7");
    expect(asked).toMatchObject([
      {
        serverName: "toolweave",
        mode: "form",
        message: expect.stringContaining("remove needs your approval"),
      },
    ]);
    expect(removed).toEqual([7]);
  });

  it("receives the approvals of inner calls, and each call runs once", async () => {
    const removed: number[] = [];
    const runs: string[] = [];
    const clear = defineTool({
      name: "clear_room",
      description: "Have a room cleared.",
      input: { type: "object" },
      execute: async (_, { scope, resumed }) => {
        runs.push(resumed === undefined ? "began" : "went on");
        const inner = { id: "inner", name: "remove", arguments: { id: 7 } };
        const outcome =
          resumed === undefined
            ? await scope.execute(inner)
            : await scope.resume(resumed.state as unknown as Interruption);
        if (outcome.status !== "interrupted") return "cleared";
        const { interruption } = outcome;
        return suspend(interruption.requests, interruption as unknown as JsonObject);
      },
    });
    const onElicitation = vi.fn<OnElicitation>(async () => ({
      action: "accept",
      content: { decision: "approve" },
    }));
    const tools = [removing(removed), clear as Tool];
    const { ask, call } = await claudeProcess(tools, { canUseTool: yes, onElicitation });
    expect(await ask("clear_room", {})).toMatchObject({ behavior: "allow" });
    expect(readText(await call("clear_room", {}))).toBe("cleared");
    expect(onElicitation).toHaveBeenCalledTimes(1);
    expect(removed).toEqual([7]);
    expect(runs).toEqual(["began", "went on"]);
  });

  it.each<[string, OnElicitation]>([
    ["declines", async () => ({ action: "decline" })],
    ["does not answer here", async () => null],
    [
      "fails",
      async () => {
        throw new Error("no terminal");
      },
    ],
  ])("and %s has not approved", async (_what, onElicitation) => {
    const removed: number[] = [];
    const { call } = await claudeProcess([removing(removed)], { onElicitation, ...elsewhere });
    const result = await call("remove", { id: 7 });
    expect(result.isError).toBe(true);
    expect(JSON.stringify(result)).not.toContain("no terminal");
    expect(removed).toEqual([]);
  });

  it("is cancelled when the call is cancelled", async () => {
    const removed: number[] = [];
    let withdrawn: AbortSignal | undefined;
    let resolveDisplayed: () => void = () => {};
    const displayed = new Promise<void>((resolve) => {
      resolveDisplayed = resolve;
    });
    const { call } = await claudeProcess([removing(removed)], {
      onElicitation: (_, { signal }) =>
        new Promise((resolve) => {
          withdrawn = signal;
          signal.addEventListener("abort", () =>
            resolve({ action: "accept", content: { decision: "approve" } }),
          );
          resolveDisplayed();
        }),
    });
    const abort = new AbortController();
    const over = call("remove", { id: 7 }, "toolu_1", abort.signal).catch(
      (error: unknown) => error,
    );
    await displayed;
    abort.abort();
    await over;
    await expect.poll(() => withdrawn?.aborted).toBe(true);
    expect(removed).toEqual([]);
  });
});

describe("claudeTools", () => {
  it("serves several queries, each until it ends", async () => {
    const { connect, call } = await claudeProcess([removing()], {}, { policy: "autonomous" });
    const second = await connect();
    await second.close();
    expect(readText(await call("remove", { id: 7 }))).toBe("removed 7");
  });

  it("omits content that a model cannot read", async () => {
    const blob = Buffer.from("%PDF-1.7 and so on").toString("base64");
    const print = defineTool({
      name: "print_guide",
      description: "Print the museum's guide.",
      input: { type: "object" },
      execute: () => [
        { type: "resource", resource: { uri: "guide:1", mimeType: "application/pdf", blob } },
      ],
    });
    const { call } = await claudeProcess([print as Tool], {}, { policy: "autonomous" });
    const result = await call("print_guide", {});
    expect(JSON.stringify(result)).not.toContain(blob);
    expect(readText(result)).toMatch(/art_[0-9a-f]{32}/);
  });

  it("rejects calls once it is closed", async () => {
    const { claude, connect } = await claudeProcess([removing()]);
    await claude.close();
    await claude.close();
    await expect(connect()).rejects.toThrow("The gateway was closed.");
  });

  it("rejects invalid options", async () => {
    const { executor } = await claudeProcess([removing()]);
    expect(() => claudeTools(executor, { name: "my tools" })).toThrow('name is "my tools"');
    expect(() => claudeTools(executor, { approvals: "elicit" } as never)).toThrow(
      'unknown option "approvals"',
    );
    expect(() => claudeTools(executor, { canUseTools: yes } as never)).toThrow(
      "Did you mean canUseTool?",
    );
  });
});
