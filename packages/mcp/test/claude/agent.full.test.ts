import type {
  CanUseTool,
  HookJSONOutput,
  OnElicitation,
  Query,
  SDKUserMessage,
} from "@anthropic-ai/claude-agent-sdk";
import { defineTool, suspend, toolsSource, type Tool } from "@toolweave/core";
import { describe, expect, it, vi } from "vitest";
import { claudeAgent } from "../support/claude-agent.ts";
import { opening } from "../support/open-gateway.ts";

const id = { type: "object", properties: { id: { type: "integer" } }, required: ["id"] } as const;
const look = { id: "toolu_1", name: "mcp__toolweave__look", input: { id: 7 } };
const remove = { id: "toolu_2", name: "mcp__toolweave__remove", input: { id: 7 } };

/** A user who sends one message, and stays until `over`. */
async function* saying(content: string, over: Promise<void>): AsyncGenerator<SDKUserMessage> {
  yield { type: "user", message: { role: "user", content }, parent_tool_use_id: null };
  await over;
}

function museum(done: string[] = []): readonly Tool[] {
  return [
    defineTool({
      name: "look",
      description: "Look at an exhibit.",
      input: id,
      annotations: { readOnlyHint: true },
      execute: ({ id }) => {
        done.push(`look ${id}`);
        return `exhibit ${id}`;
      },
    }),
    defineTool({
      name: "remove",
      description: "Remove an exhibit.",
      input: id,
      annotations: { destructiveHint: true },
      execute: ({ id }) => {
        done.push(`remove ${id}`);
        return `removed ${id}`;
      },
    }),
  ];
}

describe("an agent of the Claude Agent SDK", () => {
  it("calls the tools of a registry, and reads their results", async () => {
    const canUseTool = vi.fn<CanUseTool>();
    const { api, run } = await claudeAgent({
      tools: museum(),
      turns: [[look, { ...look, id: "toolu_9", input: { id: "seven" } }], "It is there."],
      claude: { canUseTool },
    });
    expect(await run()).toMatchObject({ subtype: "success", result: "It is there." });
    const names = api.requests[0]?.tools?.map(({ name }) => name);
    expect(names).toEqual(
      expect.arrayContaining(
        ["look", "read_artifact", "remove"].map((name) => `mcp__toolweave__${name}`),
      ),
    );
    expect(api.results["toolu_1"]).toMatchObject({
      isError: false,
      text: expect.stringContaining("exhibit 7"),
    });
    expect(api.results["toolu_9"]).toMatchObject({
      isError: true,
      text: expect.stringContaining("id must be integer"),
    });
    // No person is asked about a call that the policy allows.
    expect(canUseTool).not.toHaveBeenCalled();
  });

  it("gets an error with the reason if the policy denies a call", async () => {
    const done: string[] = [];
    const canUseTool = vi.fn<CanUseTool>();
    const { api, run } = await claudeAgent({
      tools: museum(done),
      turns: [[remove], "So be it."],
      claude: { canUseTool },
      // A tool whose every call is denied is not listed.
      executor: {
        policy: ({ arguments: { id } = {} }) =>
          id === 7 ? { effect: "deny", reason: "it is on loan" } : "allow",
      },
    });
    expect(await run()).toMatchObject({ result: "So be it." });
    expect(api.results["toolu_2"]).toMatchObject({
      isError: true,
      text: expect.stringContaining("it is on loan"),
    });
    expect(canUseTool).not.toHaveBeenCalled();
    expect(done).toEqual([]);
  });

  it("runs a call that a person has allowed with canUseTool, once", async () => {
    const done: string[] = [];
    const asked: unknown[] = [];
    const { api, run, executor } = await claudeAgent({
      tools: museum(done),
      turns: [[look, remove], "Gone."],
      claude: {
        caller: { id: "emma" },
        canUseTool: async (name, input, options) => {
          asked.push(name, input, options);
          return { behavior: "allow", updatedInput: input };
        },
      },
    });
    const resumed: unknown[] = [];
    executor.on((event) => {
      if (event.type === "tool.resumed") resumed.push(event);
    });
    expect(await run()).toMatchObject({ result: "Gone." });
    expect(asked).toMatchObject([
      "mcp__toolweave__remove",
      { id: 7 },
      { toolUseID: "toolu_2", decisionReason: expect.stringContaining("destructive") },
    ]);
    expect(asked[2]).not.toHaveProperty("suggestions");
    expect(done.sort()).toEqual(["look 7", "remove 7"]);
    expect(api.results["toolu_2"]).toMatchObject({
      isError: false,
      text: expect.stringContaining("removed 7"),
    });
    expect(resumed).toHaveLength(1);
  });

  it("runs a call with the arguments that a person has edited", async () => {
    const done: string[] = [];
    const { run } = await claudeAgent({
      tools: museum(done),
      turns: [[remove], "Gone."],
      claude: { canUseTool: async () => ({ behavior: "allow", updatedInput: { id: 8 } }) },
    });
    await run();
    expect(done).toEqual(["remove 8"]);
  });

  it("does not run a call that a person has denied, and reads the reason", async () => {
    const done: string[] = [];
    const { api, run } = await claudeAgent({
      tools: museum(done),
      turns: [[remove, look], "So be it."],
      claude: { canUseTool: async () => ({ behavior: "deny", message: "It is a loan." }) },
    });
    expect(await run()).toMatchObject({ result: "So be it." });
    expect(api.results["toolu_2"]).toMatchObject({
      isError: true,
      text: expect.stringContaining("It is a loan."),
    });
    expect(done).toEqual(["look 7"]);
  });

  it("cannot bypass the policy if the SDK does not ask for permission", async () => {
    const done: string[] = [];
    const canUseTool = vi.fn<CanUseTool>();
    const { api, run } = await claudeAgent({
      tools: museum(done),
      turns: [[look, remove], "So be it."],
      claude: { canUseTool, howToAnswer: () => "ask at the desk" },
    });
    const allow = async (): Promise<HookJSONOutput> => ({
      hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "allow" },
    });
    await run({ hooks: { PreToolUse: [{ hooks: [allow] }] } });
    expect(canUseTool).not.toHaveBeenCalled();
    expect(done).toEqual(["look 7"]);
    expect(api.results["toolu_2"]).toMatchObject({
      isError: true,
      text: expect.stringContaining("ask at the desk"),
    });
  });

  it("gets a preview of a large output, and can read the rest", async () => {
    const log = defineTool({
      name: "read_log",
      description: "Read the museum's log.",
      input: { type: "object" },
      output: { type: "object" },
      annotations: { readOnlyHint: true },
      execute: () => ({ days: Array.from({ length: 20_000 }, () => "all quiet") }),
    });
    const { api, run } = await claudeAgent({
      tools: [log],
      turns: [
        [{ id: "toolu_1", name: "mcp__toolweave__read_log" }],
        (results) => {
          const key = /art_[0-9a-f]{32}/.exec(results["toolu_1"]?.text ?? "")?.[0];
          const input = { key, offset: 199_980, limit: 100 };
          return [{ id: "toolu_2", name: "mcp__toolweave__read_artifact", input }];
        },
        "Quiet.",
      ],
    });
    await run();
    const text = api.results["toolu_1"]?.text ?? "";
    expect(text).toContain("all quiet");
    // Of structured content the SDK would pass all to the model, or write its own file.
    expect(text.length).toBeLessThan(10_000);
    expect(text).toMatch(/art_[0-9a-f]{32}/);
    expect(api.results["toolu_2"]).toMatchObject({
      isError: false,
      text: expect.stringContaining("all quiet"),
    });
  });

  it.each<[string, (going: Query, abort: AbortController) => unknown]>([
    ["aborted", (_going, abort) => abort.abort()],
    ["interrupted", (going) => going.interrupt()],
  ])("that is %s stops the tool that it runs", async (_how, stop) => {
    const { opened: started, open: start } = opening();
    const { opened: stopped, open: end } = opening();
    const wait = defineTool({
      name: "wait",
      description: "Wait for a visitor.",
      input: { type: "object" },
      annotations: { readOnlyHint: true },
      execute: (_, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener("abort", () => {
            end();
            reject(new Error("stopped"));
          });
          start();
        }),
    });
    const { begin, executor } = await claudeAgent({
      tools: [wait],
      turns: [[{ id: "toolu_1", name: "mcp__toolweave__wait" }], "No visitor came."],
    });
    const ended = new Promise((resolve) => {
      executor.on((event) => {
        if (event.type === "tool.failed") resolve(event);
      });
    });
    const abortController = new AbortController();
    const { opened: over, open: leave } = opening();
    const going = begin({ abortController }, saying("Wait.", over));
    const read = (async () => {
      for await (const { type } of going) if (type === "result") leave();
    })().catch(leave);
    await started;
    await stop(going, abortController);
    await stopped;
    expect(await ended).toMatchObject({ code: "cancelled" });
    leave();
    await read;
  });

  it("sees tools that were added to the registry in the meantime", async () => {
    const { opened: listed, open: list } = opening();
    const { api, run, executor, claude } = await claudeAgent({
      tools: [
        defineTool({
          name: "open_wing",
          description: "Open the new wing.",
          input: { type: "object" },
          execute: async () => {
            executor.registry.add(toolsSource("wing", museum()));
            // The agent updates its list late; a call that returns sooner has the old list.
            await listed;
            return "open";
          },
        }),
      ],
      turns: [[{ id: "toolu_2", name: "mcp__toolweave__open_wing" }], [look], "It is there."],
    });
    const instance = claude.options.mcpServers["toolweave"]?.instance;
    const connect = instance?.connect.bind(instance);
    const watched: typeof connect = async (transport) => {
      const send = transport.send.bind(transport);
      transport.send = async (message) => {
        await send(message);
        if (JSON.stringify(message).includes('"name":"look"')) list();
      };
      await connect?.(transport);
    };
    Object.assign(instance ?? {}, { connect: watched });
    expect(await run()).toMatchObject({ result: "It is there." });
    const names = api.requests.map(({ tools }) => tools?.map(({ name }) => name));
    expect(names[0]).not.toContain(look.name);
    expect(names[1]).toContain(look.name);
    expect(api.results["toolu_1"]?.text).toContain("exhibit 7");
  });

  it("passes questions of a running call to the host's person", async () => {
    const lend = defineTool({
      name: "lend",
      description: "Lend an exhibit.",
      input: { type: "object" },
      annotations: { readOnlyHint: true },
      execute: (_, { resumed }) => {
        if (resumed !== undefined) return `lent to ${JSON.stringify(resumed.answers[0])}`;
        const schema = { type: "object", properties: { name: { type: "string" } } };
        return suspend([{ id: "who", type: "input", message: "To whom?", schema }], null);
      },
    });
    const onElicitation = vi.fn<OnElicitation>(async () => ({
      action: "accept",
      content: { name: "Emma" },
    }));
    const { api, run } = await claudeAgent({
      tools: [lend],
      turns: [[{ id: "toolu_1", name: "mcp__toolweave__lend" }], "Lent."],
      claude: { onElicitation },
    });
    await run();
    expect(api.results["toolu_1"]?.text).toContain("Emma");
    expect(onElicitation.mock.calls[0]?.[0]).toMatchObject({
      serverName: "toolweave",
      mode: "form",
      message: expect.stringContaining("To whom?"),
    });
  });
});
