import {
  inputRequired,
  ProtocolError,
  type CallToolResult,
  type InputRequiredResult,
  type JSONObject,
  type JSONValue,
  type ServerContext,
  type Tool,
} from "@modelcontextprotocol/server";
import { beginTask, wantsTask } from "./fixture-server-tasks.ts";
import {
  icons,
  picture,
  said,
  sound,
  type FixtureChange,
  type FixtureWorld,
  type TaskPlan,
} from "./fixture-server-state.ts";

/** One call. */
interface FixtureCall {
  readonly args: JSONObject;
  readonly params: { readonly task?: unknown };
  readonly ctx: ServerContext;
  readonly world: FixtureWorld;
}

/** A tool of the fixture server. */
export interface FixtureTool {
  readonly definition: Omit<Tool, "name">;
  call(call: FixtureCall): Answer | Promise<Answer>;
}

type Answer = CallToolResult | InputRequiredResult;

const readOnly = { readOnlyHint: true, openWorldHint: false };

function schema(
  properties: JSONObject = {},
  required: readonly string[] = [],
): Tool["inputSchema"] {
  return { type: "object", properties, required: [...required] } as never;
}

const planSchema = schema({
  steps: { type: "integer", minimum: 0, description: "Polls that it takes. Default: 2." },
  outcome: { enum: ["complete", "error", "fail", "ask", "never"] },
  pollMs: { type: "integer", description: "The interval that it proposes. Default: 10." },
});

/** All tools of the fixture server, by name; `edition` is in the description of one of them. */
export function fixtureTools(edition: number): Readonly<Record<string, FixtureTool>> {
  return {
    echo: {
      definition: {
        title: "Echo",
        description: "Give a text back.",
        inputSchema: schema({ text: { type: "string" } }, ["text"]),
        annotations: { ...readOnly, idempotentHint: true, title: "Echo a text" },
        icons,
        _meta: { "fixture/kind": "tool" },
      },
      call: ({ args }) => said(String(args["text"])),
    },
    add: {
      definition: {
        description: "Add two numbers.",
        inputSchema: schema({ a: { type: "number" }, b: { type: "number" } }, ["a", "b"]),
        outputSchema: schema({ sum: { type: "number" } }, ["sum"]),
        annotations: readOnly,
      },
      call: ({ args }) => {
        const sum = Number(args["a"]) + Number(args["b"]);
        return { ...said(String(sum)), structuredContent: { sum } };
      },
    },
    show_everything: {
      definition: {
        description: "One block of each kind.",
        inputSchema: schema(),
        annotations: readOnly,
      },
      call: () => ({ content: everything(), _meta: { "fixture/shelf": "attic" } }),
    },
    any_json: {
      definition: {
        description: "Give any JSON back, as the structured content.",
        inputSchema: schema({ value: { description: "Whatever it may be." } }, ["value"]),
        annotations: readOnly,
      },
      call: ({ args }) => ({
        content: [],
        structuredContent: args["value"] as JSONObject,
      }),
    },
    fail: {
      definition: { description: "An answer that is an error.", inputSchema: schema() },
      call: () => ({ ...said("It went wrong."), isError: true }),
    },
    refuse: {
      definition: {
        description: "An error of the protocol.",
        inputSchema: schema({ code: { type: "integer" } }),
      },
      call: ({ args }) => {
        throw new ProtocolError(Number(args["code"] ?? -32000), "No.", { why: "because" });
      },
    },
    count: {
      definition: {
        description: "Count, and report each step.",
        inputSchema: schema({ steps: { type: "integer" } }, ["steps"]),
        annotations: readOnly,
      },
      call: async ({ args, ctx }) => {
        const total = Number(args["steps"]);
        const { _meta: meta } = ctx.mcpReq;
        const progressToken = meta?.progressToken;
        for (let progress = 1; progress <= total; progress++) {
          if (progressToken === undefined) break;
          const params = { progressToken, progress, total, message: `Step ${progress}` };
          await ctx.mcpReq.notify({ method: "notifications/progress", params });
        }
        return said(`Counted to ${total}.`);
      },
    },
    wait: {
      definition: {
        description: "Wait until the call is cancelled, and write down that it was.",
        inputSchema: schema({ label: { type: "string" } }, ["label"]),
        annotations: readOnly,
      },
      call: ({ args, ctx: { mcpReq }, world }) =>
        new Promise((resolve) => {
          const stop = (): void => {
            world.cancelled.push(String(args["label"]));
            resolve(said("This is not read."));
          };
          if (mcpReq.signal.aborted) stop();
          else mcpReq.signal.addEventListener("abort", stop, { once: true });
        }),
    },
    show_cancelled: {
      definition: {
        description: "The labels of the calls that were cancelled.",
        inputSchema: schema(),
        annotations: readOnly,
      },
      call: ({ world }) => structured({ labels: [...world.cancelled] }),
    },
    show_request: {
      definition: {
        description: "What the call came with beside its arguments.",
        inputSchema: schema(),
        annotations: readOnly,
      },
      call: ({ ctx }) => {
        const { _meta: meta, envelope } = ctx.mcpReq;
        return structured({ meta: { ...meta }, isModern: envelope !== undefined });
      },
    },
    show_process: {
      definition: {
        description: "The id of the server's process.",
        inputSchema: schema(),
        annotations: readOnly,
      },
      call: () => structured({ pid: process.pid }),
    },
    large: {
      definition: {
        description: "A text of so many characters.",
        inputSchema: schema({ characters: { type: "integer" } }, ["characters"]),
        annotations: readOnly,
      },
      call: ({ args }) => said("x".repeat(Number(args["characters"]))),
    },
    ...asking,
    say: {
      definition: {
        description: "Log a message.",
        inputSchema: schema({ level: { type: "string" }, text: { type: "string" } }, [
          "level",
          "text",
        ]),
      },
      call: async ({ args, ctx }) => {
        await ctx.mcpReq.log(args["level"] as "info", args["text"], "fixture");
        return said("Logged.");
      },
    },
    change: {
      definition: {
        description: "Announce that a list has changed, or one resource; tools really do.",
        inputSchema: schema(
          {
            what: { enum: ["tools", "prompts", "resources", "resource"] },
            uri: { type: "string" },
            times: { type: "integer", description: "Default: 1." },
          },
          ["what"],
        ),
      },
      call: ({ args: { what, uri, times = 1 }, world }) => {
        for (let time = 0; time < Number(times); time++) {
          world.announce({
            what: what as FixtureChange["what"],
            ...(uri === undefined ? {} : { uri: String(uri) }),
          });
        }
        return said("Announced.");
      },
    },
    changing: {
      definition: { description: `Edition ${edition}.`, inputSchema: schema() },
      call: ({ world }) => said(`Edition ${world.edition}.`),
    },
    task_required: {
      definition: {
        description: "Work that is only done as a task.",
        inputSchema: planSchema,
        outputSchema: schema({ steps: { type: "integer" } }, ["steps"]),
        execution: { taskSupport: "required" },
      },
      call: ({ args, params, ctx, world }) => {
        if (wantsTask(params, ctx)) return beginTask(world, "task_required", toPlan(args), ctx);
        throw new ProtocolError(-32601, "This is only done as a task.");
      },
    },
    task_optional: {
      definition: {
        description: "Work that may be done as a task.",
        inputSchema: planSchema,
        execution: { taskSupport: "optional" },
      },
      call: ({ args, params, ctx, world }) =>
        wantsTask(params, ctx)
          ? beginTask(world, "task_optional", toPlan(args), ctx)
          : { ...said("Done at once."), structuredContent: { steps: toPlan(args).steps } },
    },
    show_tasks: {
      definition: {
        description: "All tasks that were begun, and how they stand.",
        inputSchema: schema(),
        annotations: readOnly,
      },
      call: ({ world }) =>
        structured({
          tasks: Array.from(world.tasks.values(), ({ tool, status, looks }) => ({
            ...{ tool, status, looks },
          })),
        }),
    },
  };
}

/**
 * Questions: over a connection of the older protocol they are requests of the server's, in the
 * newer one `input_required`.
 */
const asking: Readonly<Record<string, FixtureTool>> = {
  ask_form: {
    definition: {
      description: "Ask a person for a name and an age.",
      inputSchema: schema({ rounds: { type: "integer", description: "Default: 1." } }),
    },
    call: ({ args, ctx: { mcpReq } }) => {
      const { round = 0 } = JSON.parse(mcpReq.requestState<string>() ?? "{}") as { round?: number };
      const answer = mcpReq.inputResponses?.["person"];
      if (answer !== undefined && round >= Number(args["rounds"] ?? 1))
        return structured({ answer });
      return inputRequired({
        inputRequests: {
          person: inputRequired.elicit({
            message: "Who are you?",
            requestedSchema: {
              type: "object",
              properties: {
                name: { type: "string", title: "Name", minLength: 1 },
                age: { type: "integer", minimum: 0 },
              },
              required: ["name"],
            },
          }),
        },
        requestState: JSON.stringify({ round: round + 1 }),
      });
    },
  },
  ask_url: {
    definition: { description: "Send a person to a page.", inputSchema: schema() },
    call: ({ ctx: { mcpReq } }) => {
      const answer = mcpReq.inputResponses?.["page"];
      if (answer !== undefined) return structured({ answer });
      const asked = { message: "Sign in.", url: "https://fixture.test/sign-in" };
      return inputRequired({ inputRequests: { page: inputRequired.elicitUrl(asked) } });
    },
  },
  ask_model: {
    definition: { description: "Ask the client's model.", inputSchema: schema() },
    call: ({ ctx: { mcpReq } }) => {
      const answer = mcpReq.inputResponses?.["model"];
      if (answer !== undefined) return structured({ answer });
      const content = { type: "text" as const, text: "What is the capital of France?" };
      const asked = { messages: [{ role: "user" as const, content }], maxTokens: 100 };
      return inputRequired({ inputRequests: { model: inputRequired.createMessage(asked) } });
    },
  },
  ask_roots: {
    definition: { description: "Ask for the client's roots.", inputSchema: schema() },
    call: ({ ctx: { mcpReq } }) => {
      const answer = mcpReq.inputResponses?.["roots"];
      if (answer !== undefined) return structured({ answer });
      return inputRequired({ inputRequests: { roots: inputRequired.listRoots() } });
    },
  },
  ask_endlessly: {
    definition: { description: "Ask again whatever the answer.", inputSchema: schema() },
    call: () => {
      const requestedSchema = { type: "object" as const, properties: {} };
      const again = inputRequired.elicit({ message: "Again?", requestedSchema });
      return inputRequired({ inputRequests: { again } });
    },
  },
};

function structured(value: unknown): CallToolResult {
  return { ...said(JSON.stringify(value)), structuredContent: value as JSONObject };
}

function toPlan({ steps = 2, outcome = "complete", pollMs = 10 }: JSONObject): TaskPlan {
  return {
    steps: Number(steps),
    outcome: outcome as TaskPlan["outcome"],
    pollMs: Number(pollMs satisfies JSONValue),
  };
}

function everything(): CallToolResult["content"] {
  const link = { uri: "fixture://text", name: "text", mimeType: "text/plain" };
  return [
    {
      type: "text",
      text: "A text",
      annotations: { audience: ["user"], priority: 0.5, lastModified: "2026-01-01T00:00:00Z" },
      _meta: { "fixture/part": 1 },
    },
    { type: "image", data: picture, mimeType: "image/png" },
    { type: "audio", data: sound, mimeType: "audio/wav" },
    { type: "resource_link", ...link, title: "A text", description: "Far", size: 5, icons },
    {
      type: "resource",
      resource: { uri: link.uri, mimeType: "text/plain", text: "Hello", _meta: { "fixture/x": 1 } },
    },
    {
      type: "resource",
      resource: { uri: "fixture://picture", mimeType: "image/png", blob: picture },
      annotations: { priority: 1 },
    },
  ];
}
