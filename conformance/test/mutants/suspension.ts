import {
  suspend,
  type InterruptionRequest,
  type JsonValue,
  type Suspension,
  type Tool,
} from "@toolweave/core";
import type { World } from "../fixtures/index.ts";
import { hanging, ofSource, ofTool, ofTools, over, type Mutant } from "./mutant.ts";
import { eachTool } from "./change.ts";

/** The tool that asks for a name, which asks in another way. */
function asking(
  rule: string,
  what: string,
  request: Partial<InterruptionRequest>,
  more: readonly InterruptionRequest[] = [],
): Mutant {
  return ofTool(rule, "ask_name", what, (tool) => ({
    invoke: (args, ctx) =>
      ctx.resumed === undefined
        ? suspend([{ ...question, ...request } as InterruptionRequest, ...more], createState(args))
        : tool.invoke(args, ctx),
  }));
}

const question: InterruptionRequest = { id: "name", type: "input", message: "What is your name?" };

function createState(args: { readonly title?: JsonValue }): JsonValue {
  return { title: args.title ?? "" };
}

/** A table with one row. */
const places = new WeakMap<World, JsonValue>();

/** Counts how often it was created. */
function perInstance(
  change: (tool: Tool, instance: number) => Partial<Tool>,
): (tool: Tool) => Partial<Tool> {
  let instances = 0;
  return (tool) => change(tool, (instances += 1));
}

/** The pending calls, of all sources of one mutant. */
const waitingIds = new Set<string>();

export const suspensionMutants: readonly Mutant[] = [
  ofTool("TW-SUSPEND-001", "ask_name", "a tool that guesses instead of asking", () => ({
    invoke: () => "Kept no name.",
  })),
  ofTool("TW-SUSPEND-001", "ask_name", "a tool that waits without a request", (tool) => ({
    invoke: (args, ctx) =>
      ctx.resumed === undefined ? suspend([], createState(args)) : tool.invoke(args, ctx),
  })),
  hanging(
    ofTool("TW-SUSPEND-001", "ask_name", "a tool that waits for the answer by itself", () => ({
      invoke: () => new Promise(() => {}),
    })),
  ),
  asking("TW-SUSPEND-001", "two requests of one id", {}, [question]),
  asking("TW-SUSPEND-002", "a question without words", { message: " " }),
  asking("TW-SUSPEND-002", "a schema of a type that does not exist", {
    schema: { type: "name" },
  }),
  asking("TW-SUSPEND-014", "a question with an invisible part", {
    message: "What is your name?\u{E0041}\u{E0042}",
  }),
  ofTool("TW-SUSPEND-014", "subscribe", "a code that creates a new line", (tool) => ({
    invoke: async (args, ctx) => {
      const given = await tool.invoke(args, ctx);
      if (ctx.resumed !== undefined) return given;
      const { requests, state } = given as Suspension;
      return suspend(
        requests.map((one) => (one.type === "auth" ? { ...one, userCode: "A1\nApproved" } : one)),
        state as JsonValue,
      );
    },
  })),
  // An executor rejects a request without an id that an answer can name.
  asking("TW-SUSPEND-001", "a request without an id", { id: "" }),
  ofTool("TW-SUSPEND-003", "ask_name", "a tool that cannot be resumed", (tool) => ({
    invoke: (args, ctx) => {
      if (ctx.resumed !== undefined) throw new Error("unexpected answer");
      return tool.invoke(args, ctx);
    },
  })),
  ofTool("TW-SUSPEND-003", "ask_name", "a map in its stored state", (tool) => ({
    invoke: (args, ctx) => {
      const { resumed } = ctx;
      if (resumed === undefined) {
        return suspend([question], new Map(Object.entries(args)) as never);
      }
      const title = (resumed.state as unknown as Map<string, string>).get("title");
      return tool.invoke({ title: title ?? "" }, ctx);
    },
  })),
  ofTool("TW-SUSPEND-003", "ask_name", "a tool that asks again after each answer", (tool) => ({
    invoke: (args, ctx) => tool.invoke(args, { ...ctx, resumed: undefined } as never),
  })),
  ofTool("TW-SUSPEND-004", "ask_name", "state that a call keeps in memory", (tool) => {
    const kept = new Map<string, JsonValue>();
    return {
      invoke: (args, ctx) => {
        const { resumed, callId } = ctx;
        if (resumed === undefined) {
          kept.set(callId, args);
          return suspend([question], null);
        }
        const state = kept.get(callId);
        if (state === undefined) throw new Error("There is no such question.");
        return tool.invoke(args, { resumed: { ...resumed, state } } as never);
      },
    };
  }),
  ofTool(
    "TW-SUSPEND-004",
    "ask_name",
    "an answer that is valid in one process only",
    perInstance((tool, instance) => ({
      invoke: (args, ctx) => {
        if (ctx.resumed === undefined) return suspend([question], { title: "", instance });
        const { instance: asked } = ctx.resumed.state as { instance: number };
        return asked === instance ? tool.invoke(args, ctx) : suspend([question], { instance });
      },
    })),
  ),
  ofTools("TW-SUSPEND-005", "a name that is stored before it is known", (tools, { names }) =>
    tools.map((tool) =>
      tool.spec.name === "ask_name"
        ? {
            spec: tool.spec,
            invoke: (args, ctx) => {
              if (ctx.resumed !== undefined) return "Kept.";
              names.push("unknown");
              return tool.invoke(args, ctx);
            },
          }
        : tool,
    ),
  ),
  ofTools("TW-SUSPEND-005", "a deadline that makes the choice", (tools, { names }) =>
    tools.map((tool) =>
      tool.spec.name === "ask_name"
        ? {
            spec: tool.spec,
            invoke: (args, ctx) => {
              if (ctx.resumed === undefined) setTimeout(() => names.push("no one"), 10).unref();
              return tool.invoke(args, ctx);
            },
          }
        : tool,
    ),
  ),
  ofTool("TW-SUSPEND-006", "ask_name", "an answer that is used twice", (tool) => ({
    invoke: async (args, ctx) => {
      if (ctx.resumed?.answers[0]?.type === "input") await tool.invoke(args, ctx);
      return tool.invoke(args, ctx);
    },
  })),
  ofTool("TW-SUSPEND-006", "ask_name", "an answer without an effect", (tool) => ({
    invoke: (args, ctx) => (ctx.resumed === undefined ? tool.invoke(args, ctx) : "Kept."),
  })),
  ofTools("TW-SUSPEND-007", "a rejection that is treated as a name", (tools, { names }) =>
    tools.map((tool) =>
      tool.spec.name === "ask_name"
        ? {
            spec: tool.spec,
            invoke: (args, ctx) => {
              if (ctx.resumed === undefined) return tool.invoke(args, ctx);
              const [answer] = ctx.resumed.answers as readonly { value?: JsonValue }[];
              names.push(String(answer?.value));
              return "Kept.";
            },
          }
        : tool,
    ),
  ),
  ofTool("TW-SUSPEND-007", "ask_name", "a tool that treats a rejection as not yet", (tool) => ({
    invoke: (args, ctx) =>
      ctx.resumed?.answers.some(({ type }) => type === "reject") === true
        ? suspend([question], ctx.resumed.state)
        : tool.invoke(args, ctx),
  })),
  ofTool("TW-SUSPEND-008", "ask_name", "a tool that asks once in its life", (tool) => {
    let asked = 0;
    return {
      invoke: (args, ctx) => {
        if (ctx.resumed === undefined) asked += 1;
        // Each of the sample calls may be made once.
        return asked > 2 ? "Kept the same name." : tool.invoke(args, ctx);
      },
    };
  }),
  ofTools("TW-SUSPEND-009", "one place for the state of all calls", (tools, world) =>
    tools.map((tool) =>
      tool.spec.name === "ask_name"
        ? {
            spec: tool.spec,
            invoke: (args, ctx) => {
              const { resumed } = ctx;
              if (resumed === undefined) {
                places.set(world, args);
                return suspend([question], null);
              }
              const state = places.get(world);
              places.delete(world);
              if (state === undefined) throw new Error("Nothing waits.");
              return tool.invoke(args, { resumed: { ...resumed, state } } as never);
            },
          }
        : tool,
    ),
  ),
  ofTool("TW-SUSPEND-010", "ask_name", "a clock that ticks while a person thinks", (tool) => ({
    invoke: (args, ctx) => {
      if (ctx.resumed === undefined) {
        let ticks = 0;
        const clock = setInterval(() => {
          ticks += 1;
          if (ticks > 100) clearInterval(clock);
          ctx.progress({ message: "waiting" });
        }, 5).unref();
      }
      return tool.invoke(args, ctx);
    },
  })),
  ofTool("TW-SUSPEND-011", "ask_name", "a whole conversation in what is kept", (tool) => ({
    invoke: (args, ctx) =>
      ctx.resumed === undefined
        ? suspend([question], { title: "", conversation: "and then? ".repeat(7000) })
        : tool.invoke(args, ctx),
  })),
  ofTool(
    "TW-SUSPEND-012",
    "append_line",
    "a process-specific folder in the approved request",
    perInstance((_, instance) => ({
      preflight: () => [
        { kind: "fs.write", target: `/tmp/process-${instance}/log`, summary: "Write the log" },
      ],
    })),
  ),
  ofSource("TW-SUSPEND-013", "a pool of pending calls that a close ends", (source) => {
    const own = new Set<string>();
    const waiting = eachTool(source, (tool) =>
      tool.spec.name === "ask_name"
        ? {
            ...tool,
            invoke: (args, ctx) => {
              if (ctx.resumed === undefined) {
                own.add(ctx.callId);
                waitingIds.add(ctx.callId);
              } else if (!waitingIds.has(ctx.callId)) throw new Error("Nothing waits.");
              return tool.invoke(args, ctx);
            },
          }
        : tool,
    );
    const close = async (): Promise<void> => {
      for (const id of own) waitingIds.delete(id);
      await source.close();
    };
    return over(waiting, { close, [Symbol.asyncDispose]: close });
  }),
];
