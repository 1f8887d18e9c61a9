import { defineTool, text, ToolExecutor, ToolRegistry, type Tool } from "@toolweave/core";
import { toolSearch } from "@toolweave/core/search";
import { jsonSchema } from "ai";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { aiSource, aiTools, type AiToolsInput } from "../../src/index.ts";

/** A part of an answer of a model, the same in every version of the SDK. */
type Part =
  | { readonly type: "text"; readonly text: string }
  | {
      readonly type: "tool-call";
      readonly toolCallId: string;
      readonly toolName: string;
      readonly input: string;
    };

/** A message of a conversation, as far as the tests read it. */
type Message = { role: string; content: unknown };

interface Result {
  readonly text: string;
  readonly content: readonly {
    readonly type: string;
    readonly approvalId?: string;
    readonly error?: unknown;
    readonly output?: unknown;
  }[];
  readonly response: { readonly messages: Message[] };
  readonly responseMessages?: Message[];
}

interface MockModel {
  readonly doGenerateCalls: readonly {
    readonly prompt: readonly Message[];
    readonly tools?: readonly { readonly name: string }[];
  }[];
}

/** The parts of a version of the SDK that the tests use. */
export interface SdkUnderTest {
  readonly major: 5 | 6 | 7;
  readonly generateText: (options: object) => Promise<Result>;
  readonly streamText: (options: object) => { readonly fullStream: AsyncIterable<object> };
  readonly stepCountIs: (count: number) => unknown;
  readonly tool: (definition: object) => object;
  /** The mock of its model interface. */
  readonly MockModel: new (options: object) => MockModel;
}

const call = (toolName: string, input: object = {}, toolCallId = "c1"): Part => ({
  type: "tool-call",
  toolCallId,
  toolName,
  input: JSON.stringify(input),
});
const say = (text: string): Part => ({ type: "text", text });

const remove = (removed: number[]): Tool =>
  defineTool({
    name: "remove",
    description: "Remove an exhibit.",
    input: { type: "object", properties: { id: { type: "integer" } }, required: ["id"] },
    needsApproval: true,
    execute: ({ id }) => ({ removed: removed.push(id) }),
  });

const createExecutor = (...tools: Tool[]): ToolExecutor =>
  new ToolExecutor({ registry: new ToolRegistry(tools) });

/** The tests that every supported version of the SDK passes. */
export function testSdk(sdk: SdkUnderTest): void {
  const { major, generateText, streamText, stepCountIs, MockModel } = sdk;
  const stopWhen = stepCountIs(5);

  const scripted = (...turns: Part[][]): MockModel => {
    const usage =
      major === 5
        ? { inputTokens: 1, outputTokens: 1, totalTokens: 2 }
        : {
            inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
            outputTokens: { total: 1, text: 1, reasoning: 0 },
          };
    const answers = turns.map((content) => {
      const unified = content.some(({ type }) => type === "tool-call") ? "tool-calls" : "stop";
      const finishReason = major === 5 ? unified : { unified, raw: undefined };
      return { content, finishReason, usage, warnings: [] };
    });
    let turn = 0;
    return new MockModel({
      doGenerate: async () => answers[turn++],
      doStream: async () => {
        const { content, finishReason } = answers[turn++]!;
        const parts = content.flatMap<object>((part) =>
          part.type === "tool-call"
            ? [part]
            : [
                { type: "text-start", id: "t" },
                { type: "text-delta", id: "t", delta: part.text },
                { type: "text-end", id: "t" },
              ],
        );
        const start = { type: "stream-start", warnings: [] };
        return {
          stream: ReadableStream.from([start, ...parts, { type: "finish", finishReason, usage }]),
        };
      },
    });
  };

  /** The output of the tool's call that the model read before its last turn. */
  const readOutput = (model: MockModel): unknown => {
    const { prompt } = model.doGenerateCalls.at(-1)!;
    const { content } = prompt.findLast(({ role }) => role === "tool")!;
    return (content as { type: string; output?: unknown }[]).find(
      ({ type }) => type === "tool-result",
    )?.output;
  };

  const responseMessages = ({ responseMessages, response }: Result): Message[] =>
    responseMessages ?? response.messages;

  describe(`aiTools with AI SDK ${major}`, () => {
    test("the host reads a call's value, and the model its text", async () => {
      const add = defineTool({
        name: "add",
        description: "Add.",
        input: { type: "object", properties: { a: { type: "number" } }, required: ["a"] },
        execute: ({ a }) => ({ sum: a + 1 }),
      });
      const model = scripted([call("add", { a: 1 })], [say("2")]);
      const tools = await aiTools(createExecutor(add));
      const outputs: unknown[] = [];
      const onStepFinish = ({ toolResults }: { toolResults: { output: unknown }[] }): void =>
        void outputs.push(...toolResults.map(({ output }) => output));
      const options = { model, prompt: "go", tools, stopWhen, onStepFinish };
      expect((await generateText(options)).text).toBe("2");
      expect(outputs).toEqual([{ sum: 2 }]);
      expect(readOutput(model)).toEqual({ type: "text", value: '{"sum":2}' });
    });

    test("an image of a result reaches the provider in the form of this version", async () => {
      const draw = defineTool({
        name: "draw",
        description: "Draw.",
        input: { type: "object", properties: {} },
        execute: () => ({
          content: [text("a dot"), { type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" }],
        }),
      });
      const model = scripted([call("draw")], [say("ok")]);
      await generateText({
        model,
        prompt: "go",
        tools: await aiTools(createExecutor(draw)),
        stopWhen,
      });
      const [, image] = (readOutput(model) as { value: object[] }).value;
      const forms = {
        5: { type: "media", data: "iVBORw0KGgo=", mediaType: "image/png" },
        6: { type: "image-data", data: "iVBORw0KGgo=", mediaType: "image/png" },
        7: { type: "file", data: { type: "data", data: "iVBORw0KGgo=" }, mediaType: "image/png" },
      };
      expect(image).toMatchObject(forms[major]);
    });

    test("a call with invalid arguments is a tool error, and the model reads what to correct", async () => {
      const removed: number[] = [];
      const model = scripted([call("remove", { id: "seven" })], [say("oh")]);
      const tools = await aiTools(createExecutor(remove(removed)));
      await generateText({ model, prompt: "go", tools, stopWhen });
      const output = readOutput(model) as { type: string; value: string };
      expect(output.type).toBe("error-text");
      expect(output.value).toContain("id must be integer");
      expect(removed).toEqual([]);
    });

    const withoutApprovals = (): void =>
      test("a call that needs approval does not run: this version has none", async () => {
        const removed: number[] = [];
        const model = scripted([call("remove", { id: 7 })], [say("oh")]);
        const tools = await aiTools(createExecutor(remove(removed)));
        await generateText({ model, prompt: "go", tools, stopWhen });
        expect(readOutput(model)).toMatchObject({ type: "error-text" });
        expect(removed).toEqual([]);
      });

    test("onAsk approves inline", async () => {
      const removed: number[] = [];
      const registry = new ToolRegistry([remove(removed)]);
      const executor = new ToolExecutor({ registry, onAsk: async () => ({ approved: true }) });
      const model = scripted([call("remove", { id: 7 })], [say("gone")]);
      await generateText({ model, prompt: "go", tools: await aiTools(executor), stopWhen });
      expect(removed).toEqual([7]);
    });

    const withApprovals = (): void =>
      test("an approved call runs once, in a later request", async () => {
        const removed: number[] = [];
        const executor = createExecutor(remove(removed));
        const messages: Message[] = [{ role: "user", content: "go" }];
        const first = await generateText({
          model: scripted([call("remove", { id: 7 })]),
          messages,
          tools: await aiTools(executor),
          stopWhen,
        });
        expect(removed).toEqual([]);
        const { approvalId } = first.content.find(({ type }) => type === "tool-approval-request")!;
        messages.push(...responseMessages(first), {
          role: "tool",
          content: [{ type: "tool-approval-response", approvalId, approved: true }],
        });
        const again = async (): Promise<Result> =>
          generateText({
            model: scripted([say("gone")]),
            messages,
            tools: await aiTools(executor),
            stopWhen,
          });
        expect((await again()).text).toBe("gone");
        expect(removed).toEqual([7]);
        // A replay of the same approval.
        await again();
        expect(removed).toEqual([7]);
      });

    if (major === 5) withoutApprovals();
    else withApprovals();

    test("partial outputs of a streaming tool are preliminary results", async () => {
      const count = defineTool({
        name: "count",
        description: "Count.",
        input: { type: "object", properties: {} },
        annotations: { streamingHint: true },
        execute: async (_args, ctx) => {
          await ctx.update({ content: [text("1")] });
          return "1, 2";
        },
      });
      const model = scripted([call("count")], [say("ok")]);
      const tools = await aiTools(createExecutor(count));
      const outputs: unknown[] = [];
      for await (const part of streamText({ model, prompt: "go", tools, stopWhen }).fullStream) {
        if ("type" in part && part.type === "tool-result" && "output" in part) {
          outputs.push(["preliminary" in part && part.preliminary === true, part.output]);
        }
      }
      expect(outputs).toEqual([
        [true, "1"],
        [true, "1, 2"],
        [false, "1, 2"],
      ]);
    });

    test("a growing list has the found tools in the next step", async () => {
      const rooms = Array.from({ length: 150 }, (_, number) =>
        defineTool({
          name: `light_room_${number}`,
          description: `Switch on the light of room ${number}.`,
          input: { type: "object", properties: {} },
          execute: () => `room ${number} is lit`,
        }),
      );
      const run = createExecutor(...rooms).startRun({
        search: toolSearch({ form: "growing", results: 1 }),
      });
      const model = scripted(
        [call("search_tools", { query: "room 117" })],
        [call("light_room_117", {}, "c2")],
        [say("lit")],
      );
      await generateText({ model, prompt: "go", tools: await aiTools(run), stopWhen });
      const listed = model.doGenerateCalls.map(({ tools }) => tools!.map(({ name }) => name));
      expect(listed[0]).not.toContain("light_room_117");
      expect(listed[1]).toContain("light_room_117");
    });
  });

  describe(`aiSource with AI SDK ${major}`, () => {
    const run = async (tools: AiToolsInput, name: string, args: object): Promise<unknown> => {
      const registry = new ToolRegistry([aiSource(tools)]);
      await registry.ready;
      const executor = new ToolExecutor({ registry, policy: "autonomous" });
      return executor.execute({ id: "1", name, arguments: args as never });
    };

    test("a tool gets its parsed arguments, and its own form of the model's output is used", async () => {
      const weather = sdk.tool({
        description: "Get the weather.",
        inputSchema: z.object({ city: z.string(), days: z.number().default(1) }),
        execute: ({ city, days }: { city: string; days: number }) => ({ city, days }),
        toModelOutput: (given: { output?: { city: string }; city?: string }) => ({
          type: "content",
          value: [
            { type: "text", text: `Sunny in ${major === 5 ? given.city : given.output?.city}.` },
            major < 7
              ? { type: "media", data: "iVBORw0KGgo=", mediaType: "image/png" }
              : {
                  type: "file",
                  data: { type: "data", data: "iVBORw0KGgo=" },
                  mediaType: "image/png",
                },
          ],
        }),
      });
      expect(await run({ weather } as never, "weather", { city: "Lisbon" })).toMatchObject({
        result: {
          value: { city: "Lisbon", days: 1 },
          content: [
            { type: "text", text: "Sunny in Lisbon." },
            { type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" },
          ],
        },
      });
    });

    test("a tool with a JSON Schema reads the id of its call", async () => {
      const echo = sdk.tool({
        description: "Echo.",
        inputSchema: jsonSchema({ type: "object", properties: {} }),
        execute: (_args: unknown, { toolCallId }: { toolCallId: string }) => toolCallId,
      });
      expect(await run({ echo } as never, "echo", {})).toMatchObject({
        result: { content: [{ type: "text", text: "1" }] },
      });
    });

    if (major === 5) return;
    test("needsApproval of a tool makes its calls wait", async () => {
      const drop = sdk.tool({
        description: "Drop.",
        inputSchema: z.object({ id: z.number() }),
        needsApproval: ({ id }: { id: number }) => id > 5,
        execute: () => "dropped",
      });
      const registry = new ToolRegistry([
        aiSource({ drop } as never, { annotations: { drop: { readOnlyHint: true } } }),
      ]);
      await registry.ready;
      const executor = new ToolExecutor({ registry });
      const outcomes = [3, 7].map((id) =>
        executor.execute({ id: `${id}`, name: "drop", arguments: { id } }),
      );
      const statuses = (await Promise.all(outcomes)).map(({ status }) => status);
      expect(statuses).toEqual(["completed", "interrupted"]);
    });
  });
}
