import {
  acceptedContent,
  fromJsonSchema,
  inputRequired,
  McpServer,
  UrlElicitationRequiredError,
  type CallToolResult,
  type InputRequiredResult,
} from "@modelcontextprotocol/server";
import { serveStdio, StdioServerTransport } from "@modelcontextprotocol/server/stdio";

const said = (value: unknown): CallToolResult => ({
  content: [{ type: "text", text: JSON.stringify(value) ?? "" }],
});

const form = {
  type: "object" as const,
  properties: {
    name: { type: "string" as const, title: "Your name", minLength: 2 },
    copies: { type: "integer" as const, minimum: 1, default: 1 },
    cover: { type: "string" as const, enum: ["soft", "hard"] },
  },
  required: ["name", "copies"],
};

const page = {
  mode: "url" as const,
  message: "Sign the contract.",
  elicitationId: "contract",
  url: "https://press.example/contract?id=7",
};

const sampling = {
  messages: [{ role: "user" as const, content: { type: "text" as const, text: "A title?" } }],
  maxTokens: 20,
};

const anything = fromJsonSchema<object>({});

/**
 * Requests that are sent on the stream of the call (`relatedRequestId`). The methods of the SDK's context
 * send theirs on the shared stream.
 */
const relatedRequests: Readonly<
  Record<string, { method: string; params: Record<string, unknown> }>
> = {
  "related form": {
    method: "elicitation/create",
    params: { mode: "form", message: "Name?", requestedSchema: form },
  },
  "related page": { method: "elicitation/create", params: page },
  "related sampling": { method: "sampling/createMessage", params: sampling },
  "related roots": { method: "roots/list", params: {} },
};

/** The state that outlives a press that is created for each request. */
export class PressWorld {
  signed = false;
  /** Calls of `bind` that were notified of their cancellation. */
  stopped = 0;
  rounds = 0;
  /** Ends the calls of `wait` in progress. */
  readonly waiting: (() => void)[] = [];
}

/** A press that asks its customers, in both generations of the protocol. */
export function press(world: PressWorld): McpServer {
  const server = new McpServer(
    { name: "press", version: "1.0.0" },
    { capabilities: { logging: {} }, inputRequired: { legacyShim: false } },
  );

  // 2026-07-28: the answer is `input_required`.
  server.registerTool(
    "print",
    { description: "Print a book, after asking what it looks like." },
    (ctx): CallToolResult | InputRequiredResult => {
      const { inputResponses, requestState } = ctx.mcpReq;
      if (inputResponses === undefined) {
        return inputRequired({
          inputRequests: {
            look: inputRequired.elicit({ message: "How is it to look?", requestedSchema: form }),
          },
          requestState: "begun",
        });
      }
      return said({ inputResponses, state: requestState() });
    },
  );
  server.registerTool(
    "publish",
    { description: "Publish a book: asks a model, the roots, a person twice." },
    (ctx): CallToolResult | InputRequiredResult => {
      const { inputResponses, requestState } = ctx.mcpReq;
      const state = requestState();
      if (inputResponses === undefined) {
        return inputRequired({
          inputRequests: {
            title: inputRequired.createMessage(sampling),
            where: inputRequired.listRoots(),
            look: inputRequired.elicit({ message: "How is it to look?", requestedSchema: form }),
            contract: inputRequired.elicitUrl({ message: page.message, url: page.url }),
          },
          requestState: "first",
        });
      }
      if (state === "first") {
        return inputRequired({
          inputRequests: {
            sure: inputRequired.elicit({
              message: "Sure?",
              requestedSchema: {
                type: "object",
                properties: { sure: { type: "boolean" } },
                required: ["sure"],
              },
            }),
          },
          requestState: JSON.stringify(inputResponses),
        });
      }
      const sure = acceptedContent(inputResponses, "sure");
      return said({ first: JSON.parse(String(state)), sure });
    },
  );
  server.registerTool(
    "haggle",
    { description: "Ask for a better price, without end." },
    (): InputRequiredResult => {
      world.rounds += 1;
      return inputRequired({
        inputRequests: {
          [`price_${world.rounds}`]: inputRequired.elicit({
            message: `More? (${world.rounds})`,
            requestedSchema: { type: "object", properties: { more: { type: "boolean" } } },
          }),
        },
      });
    },
  );
  server.registerTool(
    "queue",
    { description: "Ask to be asked again, once." },
    (ctx): CallToolResult | InputRequiredResult =>
      ctx.mcpReq.requestState() === undefined
        ? inputRequired({ requestState: "waiting" })
        : said(ctx.mcpReq.requestState()),
  );
  server.registerTool(
    "pay",
    { description: "Ask for a value that no form may ask for." },
    (): InputRequiredResult =>
      inputRequired({
        inputRequests: {
          card: inputRequired.elicit({
            message: "Pay.",
            requestedSchema: { type: "object", properties: { cardNumber: { type: "string" } } },
          }),
        },
      }),
  );

  // Up to 2025-11-25: questions during a call.
  server.registerTool(
    "ask",
    {
      description: "Ask the host something, in the older way.",
      inputSchema: fromJsonSchema<{ method: string }>({
        type: "object",
        properties: { method: { type: "string" } },
      }),
    },
    async ({ method }, ctx) => {
      try {
        const related = relatedRequests[method];
        if (related !== undefined) return said(await ctx.mcpReq.send(related, anything));
        switch (method) {
          case "sampling":
            return said(await ctx.mcpReq.requestSampling(sampling));
          case "sampling with tools": {
            // Whatever capabilities the host declares.
            const tools = [{ name: "weigh", inputSchema: { type: "object" as const } }];
            const params = { ...sampling, tools, toolChoice: { mode: "auto" as const } };
            const asked = { method: "sampling/createMessage", params };
            return said(await server.server.request(asked, anything));
          }
          case "roots":
            return said(await server.server.listRoots());
          case "insist":
            // Whatever capabilities the host declares.
            return said(
              await server.server.request(
                {
                  method: "elicitation/create",
                  params: { mode: "form", message: "Name?", requestedSchema: form },
                },
                anything,
              ),
            );
          case "often": {
            let progress = 0;
            const { _meta: meta } = ctx.mcpReq;
            const refused = async (): Promise<string> => {
              const params = { progressToken: meta?.progressToken ?? 0, progress };
              progress += 1;
              await ctx.mcpReq.notify({ method: "notifications/progress", params });
              return "refused";
            };
            const requests = Array.from({ length: 30 }, () =>
              ctx.mcpReq
                .elicitInput({ message: "Name?", requestedSchema: form })
                .then(({ action }) => action, refused),
            );
            return said(await Promise.all(requests));
          }
          case "form for 50 ms": {
            const asked = { message: "Name?", requestedSchema: form };
            return said(await ctx.mcpReq.elicitInput(asked, { timeout: 50 }));
          }
          case "form beside wait":
            while (world.waiting.length === 0)
              await new Promise((resolve) => setImmediate(resolve));
            return said(await ctx.mcpReq.elicitInput({ message: "Name?", requestedSchema: form }));
          case "capabilities":
            return said(server.server.getClientCapabilities());
          case "page": {
            const answer = await ctx.mcpReq.elicitInput(page);
            const params = { elicitationId: page.elicitationId };
            await ctx.mcpReq.notify({ method: "notifications/elicitation/complete", params });
            return said(answer);
          }
          default:
            return said(
              await ctx.mcpReq.elicitInput({ message: "Name?\u200B", requestedSchema: form }),
            );
        }
      } catch (error) {
        const { code, message } = error as { code?: unknown; message: string };
        return { ...said({ code, message }), isError: true };
      }
    },
  );
  server.registerTool(
    "sign",
    { description: "Runs only when the contract is signed." },
    (): CallToolResult => {
      if (world.signed) return said("signed");
      // A repeated call means that the person has visited the page.
      world.signed = true;
      throw new UrlElicitationRequiredError([page]);
    },
  );
  server.registerTool("deliver", { description: "Write a log while working." }, async (ctx) => {
    await ctx.mcpReq.log("debug", "wheels turn");
    await ctx.mcpReq.log("warning", { paper: "low" }, "stock");
    return said("delivered");
  });
  server.registerTool("bind", { description: "Report progress without end." }, async (ctx) => {
    const { _meta: meta, signal } = ctx.mcpReq;
    for (let progress = 1; !signal.aborted; progress++) {
      const params = { progressToken: meta?.progressToken ?? 0, progress };
      await ctx.mcpReq.notify({ method: "notifications/progress", params });
      await new Promise((resolve) => setImmediate(resolve));
    }
    world.stopped += 1;
    return said("bound");
  });
  server.registerTool("wait", { description: "Ends when `proceed` is called." }, async (ctx) => {
    const ended = new Promise<void>((resolve) => world.waiting.push(resolve));
    const { _meta: meta } = ctx.mcpReq;
    const params = { progressToken: meta?.progressToken ?? 0, progress: 1 };
    await ctx.mcpReq.notify({ method: "notifications/progress", params });
    await ended;
    return said("waited");
  });
  server.registerTool("proceed", { description: "Ends the calls of `wait`." }, () => {
    for (const end of world.waiting.splice(0)) end();
    return said("proceeded");
  });
  server.registerTool(
    "stopped",
    { description: "How often binding was stopped, once it was." },
    async () => {
      while (world.stopped === 0) await new Promise((resolve) => setImmediate(resolve));
      return said(world.stopped);
    },
  );
  return server;
}

const world = new PressWorld();
switch (process.argv[2]) {
  case "modern":
    serveStdio(() => press(world));
    break;
  case "legacy":
    await press(world).connect(new StdioServerTransport());
    break;
}
