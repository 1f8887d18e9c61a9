import { cpus } from "node:os";
import { parseArgs } from "node:util";
import type { LanguageModelV4Content, LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { defineTool, ToolExecutor, ToolRegistry } from "@toolweave/core";
import { runAgent } from "@toolweave/subagent";
import { generateText, isStepCount, jsonSchema, streamText, tool } from "ai";
import { MockLanguageModelV4 } from "ai/test";

// The cost of the loop around a model per turn, compared with the AI SDK's (README.md):
//
// node bench/agent/turns.ts [--rounds 15] [--turns 2000]
const { values } = parseArgs({
  options: { rounds: { type: "string" }, turns: { type: "string" } },
});
const rounds = Number(values.rounds ?? 15);
const turnsPerRound = Number(values.turns ?? 2000);
const warmUps = 4;

const input = {
  type: "object",
  properties: { a: { type: "number" }, b: { type: "number" } },
  required: ["a", "b"],
  additionalProperties: false,
} as const;
const names = Array.from({ length: 5 }, (_, n) => `add_${n}`);
const description = "Add two numbers.";

/**
 * A conversation: the given number of turns with the given number of calls each, and then the
 * answer.
 */
interface Shape {
  readonly turns: number;
  readonly calls: number;
}

/** The same answers for all, complete and as a stream. */
function mockModel({ turns, calls }: Shape): MockLanguageModelV4 {
  let turn = 0;
  const answer = () => {
    turn += 1;
    const isLast = turn > turns;
    const content: LanguageModelV4Content[] = isLast
      ? [{ type: "text", text: "All is added." }]
      : Array.from({ length: calls }, (_, n) => ({
          type: "tool-call",
          toolCallId: `${turn}_${n}`,
          toolName: names[n % names.length] as string,
          input: `{"a":${turn},"b":${n}}`,
        }));
    const unified: "stop" | "tool-calls" = isLast ? "stop" : "tool-calls";
    const usage = {
      inputTokens: { total: 10, noCache: 10, cacheRead: 0, cacheWrite: 0 },
      outputTokens: { total: 5, text: 5, reasoning: 0 },
    };
    return { content, finishReason: { unified, raw: undefined }, usage };
  };
  return new MockLanguageModelV4({
    doGenerate: async () => ({ ...answer(), warnings: [] }),
    doStream: async () => {
      const { content, finishReason, usage } = answer();
      const parts: LanguageModelV4StreamPart[] = [{ type: "stream-start", warnings: [] }];
      for (const part of content) {
        if (part.type !== "text") parts.push(part as LanguageModelV4StreamPart);
        else {
          parts.push({ type: "text-start", id: "0" });
          parts.push({ type: "text-delta", id: "0", delta: part.text });
          parts.push({ type: "text-end", id: "0" });
        }
      }
      parts.push({ type: "finish", finishReason, usage });
      const stream = new ReadableStream<LanguageModelV4StreamPart>({
        start(controller) {
          for (const part of parts) controller.enqueue(part);
          controller.close();
        },
      });
      return { stream };
    },
  });
}

const executor = new ToolExecutor({
  registry: new ToolRegistry(
    names.map((name) => defineTool({ name, description, input, execute: ({ a, b }) => a + b })),
  ),
});
const aiTools = Object.fromEntries(
  names.map((name) => [
    name,
    tool({
      description,
      inputSchema: jsonSchema<{ a: number; b: number }>(input),
      execute: async ({ a, b }) => a + b,
    }),
  ]),
);

const floor = "generateText";
const contenders: Readonly<Record<string, (shape: Shape) => Promise<string>>> = {
  [floor]: async (shape) => {
    const options = { model: mockModel(shape), prompt: "go", tools: aiTools };
    return (await generateText({ ...options, stopWhen: isStepCount(1000) })).text;
  },
  streamText: async (shape) => {
    const options = { model: mockModel(shape), prompt: "go", tools: aiTools };
    return streamText({ ...options, stopWhen: isStepCount(1000) }).text;
  },
  runAgent: async (shape) => {
    const limits = { turns: 1000 };
    return (await runAgent({ model: mockModel(shape), executor, prompt: "go", limits })).text;
  },
  "runAgent, heard": async (shape) => {
    const options = { model: mockModel(shape), executor, prompt: "go", limits: { turns: 1000 } };
    return (await runAgent({ ...options, onEvent: () => {} })).text;
  },
};

/** CPU microseconds per turn. */
async function cost(run: (shape: Shape) => Promise<string>, shape: Shape): Promise<number> {
  const conversations = Math.max(1, Math.round(turnsPerRound / (shape.turns + 1)));
  const before = process.cpuUsage();
  for (let n = 0; n < conversations; n++) {
    if ((await run(shape)) !== "All is added.") throw new Error("a wrong answer");
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / (conversations * (shape.turns + 1));
}

const median = (figures: readonly number[]): number =>
  [...figures].sort((a, b) => a - b)[Math.floor(figures.length / 2)] as number;
const print = (line: string): void => void process.stdout.write(`${line}\n`);

print(`Node ${process.versions.node}, ${cpus().length} × ${cpus()[0]?.model ?? "CPU"}`);
print(
  `${rounds} rounds of ${turnsPerRound} turns; CPU compared with ${floor} in the same round, lower is better`,
);
print(`${"".padEnd(44)}CPU µs/turn   share   lowest  highest`);
for (const shape of [
  { turns: 1, calls: 1 },
  { turns: 9, calls: 1 },
  { turns: 9, calls: 8 },
  { turns: 49, calls: 1 },
]) {
  const figures = new Map<string, number[]>();
  for (let round = -warmUps; round < rounds; round++) {
    for (const [name, run] of Object.entries(contenders)) {
      const figure = await cost(run, shape);
      if (round >= 0) figures.set(name, [...(figures.get(name) ?? []), figure]);
    }
  }
  const floors = figures.get(floor) ?? [];
  for (const [name, own] of figures) {
    const shares = own.map((figure, index) => figure / (floors[index] as number));
    const columns = [median(shares), Math.min(...shares), Math.max(...shares)];
    const what = `${shape.turns} turns of ${shape.calls} calls`.padEnd(24) + name.padEnd(20);
    print(
      `${what}${median(own).toFixed(0).padStart(11)}${columns.map((share) => share.toFixed(2).padStart(9)).join("")}`,
    );
  }
}
