import type { ToolOutput } from "@toolweave/core";
import { dynamicTool, jsonSchema, tool } from "ai";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { readCode, sourced, readText } from "../support/sourced.ts";

describe("a call of a tool of the SDK", () => {
  it("passes to its code the SDK's options", async () => {
    const seen: unknown[] = [];
    const { call } = await sourced(
      {
        look: tool({
          description: "Look at an exhibit.",
          inputSchema: z.object({ id: z.int(), room: z.string().default("hall") }),
          contextSchema: z.object({ guide: z.string() }),
          execute: (input, options) => {
            seen.push(input, options);
            return "seen";
          },
        }),
      },
      { toolsContext: { look: { guide: "Emma" } } },
    );
    expect(readText(await call("look", { id: 7 }))).toBe("seen");
    expect(seen[0]).toEqual({ id: 7, room: "hall" });
    expect(seen[1]).toMatchObject({
      toolCallId: "call_1",
      messages: [],
      context: { guide: "Emma" },
    });
    expect((seen[1] as { abortSignal: unknown }).abortSignal).toBeInstanceOf(AbortSignal);
  });

  it("is not made with arguments that its schema refuses, however the refusal is returned", async () => {
    let runs = 0;
    const execute = (): number => (runs += 1);
    const { call } = await sourced({
      typed: tool({ inputSchema: z.object({ id: z.int() }), execute }),
      refined: tool({
        inputSchema: z
          .object({ from: z.int(), to: z.int() })
          .refine((range) => range.from < range.to, {
            message: "from has to come before to",
            path: ["from"],
          }),
        execute,
      }),
      checked: tool({
        inputSchema: jsonSchema<{ id: number }>(
          { type: "object", properties: { id: { type: "integer" } } },
          { validate: () => ({ success: false, error: new Error("no such exhibit") }) },
        ),
        execute,
      }),
    });
    expect(readCode(await call("typed", { id: "7" }))).toBe("invalid_arguments");
    const refused = await call("refined", { from: 3, to: 1 });
    expect(readCode(refused)).toBe("invalid_arguments");
    expect(readText(refused)).toContain("- from from has to come before to (sent: 3)");
    expect(readText(await call("checked", { id: 7 }))).toContain("no such exhibit");
    expect(runs).toBe(0);
  });

  it("receives the output of its schema", async () => {
    const { call } = await sourced({
      when: tool({
        inputSchema: z.object({ day: z.string().transform((day) => new Date(day)) }),
        execute: ({ day }) => day.getUTCFullYear(),
      }),
    });
    expect(readText(await call("when", { day: "1817-07-18" }))).toBe("1817");
  });

  it("answers with text as text, and with any other value as JSON", async () => {
    const { call } = await sourced({
      say: dynamicTool({ inputSchema: z.object({}), execute: async () => "a word" }),
      show: dynamicTool({ inputSchema: z.object({}), execute: async () => ({ rooms: [1, 2] }) }),
    });
    expect(readText(await call("say"))).toBe("a word");
    const emitted = await call("show");
    expect(emitted).toMatchObject({ status: "completed", result: { value: { rooms: [1, 2] } } });
    expect(readText(emitted)).toBe('{"rooms":[1,2]}');
  });

  it("that throws is an error that the model can read", async () => {
    const { call } = await sourced({
      fail: tool({
        inputSchema: z.object({}),
        execute: (): string => {
          throw new Error("The museum is closed.");
        },
      }),
    });
    const outcome = await call("fail");
    expect(readCode(outcome)).toBe("execution_failed");
    expect(readText(outcome)).toContain("The museum is closed.");
  });

  it("emits each output that it yields, and answers with the last", async () => {
    const { executor } = await sourced({
      bind: tool({
        inputSchema: z.object({}),
        async *execute() {
          yield "sheet 1";
          yield "sheet 2";
          yield "bound";
        },
      }),
    });
    const updates: ToolOutput[] = [];
    const outcome = await executor.execute(
      { id: "1", name: "bind", arguments: {} },
      {
        onUpdate: (output) => {
          updates.push(output);
        },
      },
    );
    expect(readText(outcome)).toBe("bound");
    expect(updates.map(({ content }) => content)).toEqual([
      [{ type: "text", text: "sheet 1" }],
      [{ type: "text", text: "sheet 2" }],
      [{ type: "text", text: "bound" }],
    ]);
  });

  it("that is cancelled stops its code, and completes its generator", async () => {
    const ended: string[] = [];
    const { executor } = await sourced({
      wait: tool({
        inputSchema: z.object({}),
        execute: (_, { abortSignal }) =>
          new Promise<string>((_resolve, reject) => {
            abortSignal?.addEventListener("abort", () => {
              ended.push("wait");
              reject(new Error("stopped"));
            });
          }),
      }),
      drip: tool({
        inputSchema: z.object({}),
        async *execute() {
          try {
            for (;;) yield "drop";
          } finally {
            ended.push("drip");
          }
        },
      }),
    });
    const abort = new AbortController();
    const { signal } = abort;
    const waiting = executor.execute({ id: "1", name: "wait", arguments: {} }, { signal });
    const dripping = executor.execute(
      { id: "2", name: "drip", arguments: {} },
      { signal, onUpdate: () => abort.abort() },
    );
    expect(readCode(await waiting)).toBe("cancelled");
    expect(readCode(await dripping)).toBe("cancelled");
    await expect.poll(() => ended).toEqual(expect.arrayContaining(["wait", "drip"]));
  });

  it("that is cut off because its source is closed has no answer, whatever it has yielded", async () => {
    const { executor, source } = await sourced({
      bind: tool({
        inputSchema: z.object({}),
        async *execute() {
          yield "sheet 1";
          yield "bound";
        },
      }),
    });
    const outcome = await executor.execute(
      { id: "1", name: "bind", arguments: {} },
      { onUpdate: () => source.close?.() },
    );
    expect(outcome.status).toBe("failed");
    expect(readText(outcome)).not.toContain("sheet 1");
  });

  it("of a tool without execute waits for the host's result", async () => {
    const { executor, call } = await sourced({
      ask: tool({ inputSchema: z.object({ what: z.string() }), outputSchema: z.string() }),
    });
    const outcome = await call("ask", { what: "Where?" });
    if (outcome.status !== "interrupted") throw new Error("It did not wait.");
    const { interruption } = outcome;
    expect(interruption.requests).toMatchObject([
      { type: "result", arguments: { what: "Where?" } },
    ]);
    const answered = await executor.resume(interruption, [{ type: "result", value: "Upstairs." }]);
    expect(readText(answered)).toBe("Upstairs.");
  });

  it("of a tool without execute that the host does not run reports that", async () => {
    const { executor, call } = await sourced({
      ask: tool({ inputSchema: z.object({}), outputSchema: z.string() }),
    });
    const outcome = await call("ask");
    if (outcome.status !== "interrupted") throw new Error("It did not wait.");
    const answer = { type: "reject", reason: "no host is connected" } as const;
    const answered = await executor.resume(outcome.interruption, [answer]);
    expect(readCode(answered)).toBe("approval_rejected");
    expect(readText(answered)).toContain("no host is connected");
  });
});
