import { setImmediate as turn } from "node:timers/promises";
import { defineTool, ToolError, type JsonObject, type Tool } from "@toolweave/core";
import { expect, test } from "vitest";
import { runConformance, type Manifest, type SampleCalls } from "../../src/index.ts";

/** The results of the rules of some areas for one tool, without those that passed. */
async function unexpectedResults(
  only: readonly string[],
  tool: Tool,
  samples: SampleCalls,
  more: Partial<Manifest> = {},
): Promise<readonly string[]> {
  const manifest: Manifest = { name: "one", create: () => [tool], samples, ...more };
  const { rules } = await runConformance(
    { ...manifest, without: "there is only one tool" },
    { seed: 1, only },
  );
  return rules.flatMap(({ status, id, message }) => (status === "failed" ? [id, message] : []));
}

const ping = (execute: (signal: AbortSignal) => unknown): Tool =>
  defineTool({
    name: "ping",
    description: "Answer.",
    input: { type: "object" },
    execute: (_, { signal }) => execute(signal) as Promise<string>,
  });

const call = { tool: "ping", arguments: {} };

test("a result that changes with time is not attributed to another call", async () => {
  let asked = 0;
  // The same twice, like the current minute, and another one later.
  const clock = ping(() => `minute ${Math.floor(asked++ / 4)}`);
  expect(await unexpectedResults(["CONC"], clock, { succeedingCalls: [call] })).toEqual([]);
});

test("a tool may refuse concurrent calls beyond its declared limit", async () => {
  let running = 0;
  const limited = ping(async () => {
    if (running >= 2) throw new ToolError("upstream", "Slow down.", { status: 429 });
    running += 1;
    await turn();
    running -= 1;
    return "pong";
  });
  expect(await unexpectedResults(["CONC"], limited, { succeedingCalls: [call] })).toEqual([]);
});

test("a slow tool may run one call at a time", async () => {
  let busy = false;
  const slow = ping(async (signal) => {
    if (busy) throw new Error("Another call is under way: wait for its end.");
    busy = true;
    try {
      await new Promise((_, reject) => {
        if (signal.aborted) reject(new Error("stopped"));
        signal.addEventListener("abort", () => reject(new Error("stopped")), { once: true });
      });
    } finally {
      busy = false;
    }
  });
  expect(await unexpectedResults(["CANCEL", "TIMEOUT"], slow, { slowCalls: [call] })).toEqual([]);
});

test("an upstream that is sometimes unavailable may fail in different ways", async () => {
  let asked = 0;
  const shaky = ping(() => {
    asked += 1;
    if (asked % 2 === 0) throw new ToolError("unavailable", "The server is away: call later.");
    throw new ToolError("upstream", "There is no such ping: list the pings.", { status: 404 });
  });
  expect(await unexpectedResults(["ERROR"], shaky, { failingCalls: [call] })).toEqual([]);
});

test("a path in the workspace folder of the tool may be disclosed", async () => {
  const folder = "/home/ada/library";
  const rooted: Tool = {
    spec: {
      name: "ping",
      description: "Answer.",
      inputSchema: { type: "object" },
      annotations: { access: { filesystem: "read", workspaceRoot: folder } },
      provenance: { adapter: "test" },
    },
    invoke: () => {
      throw new ToolError("execution_failed", `There is no ${folder}/emma.txt: list the files.`);
    },
  };
  expect(await unexpectedResults(["ERROR"], rooted, { failingCalls: [call] })).toEqual([]);
});

test("a secret that the source registers may be in a result", async () => {
  const secret = "token-Xy71kQm2";
  const kept: Tool = {
    spec: {
      name: "ping",
      description: "Answer.",
      inputSchema: { type: "object" },
      annotations: {},
      injected: [{ name: "token", secret: true }],
      provenance: { adapter: "test" },
    },
    invoke: (_, { injected }) => `pong with ${(injected as { readonly token: string }).token}`,
  };
  const more = { secrets: [secret], injected: { token: secret } };
  expect(await unexpectedResults(["SECRET"], kept, { succeedingCalls: [call] }, more)).toEqual([]);
  expect(
    await unexpectedResults(
      ["SECRET"],
      ping(() => `pong with ${secret}`),
      { succeedingCalls: [call] },
      more,
    ),
  ).toEqual([
    "TW-SECRET-003",
    "ping({}) discloses a secret in plain text in the content of its result.",
  ]);
});

test("a tool may return its arguments in their order", async () => {
  const input = {
    type: "object",
    properties: { name: { type: "string" }, age: { type: "integer" } },
  };
  const echo = defineTool({
    name: "echo",
    description: "Return the person.",
    input: input as JsonObject,
    execute: (person) => [{ type: "text", text: JSON.stringify(person) }],
  });
  const sample = { tool: "echo", arguments: { name: "Ada", age: 36 } };
  expect(await unexpectedResults(["TW-CALL-006"], echo, { succeedingCalls: [sample] })).toEqual([]);
});
