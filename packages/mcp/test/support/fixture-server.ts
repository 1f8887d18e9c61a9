import { fileURLToPath } from "node:url";
import { ProtocolError, ProtocolErrorCode, Server, type Tool } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { offerResources, page } from "./fixture-server-resources.ts";
import { offerTasks } from "./fixture-server-tasks.ts";
import { fixtureTools } from "./fixture-server-tools.ts";
import { FixtureWorld, icons, type FixtureChange } from "./fixture-server-state.ts";

/**
 * A server with every feature of a server, in both generations of the protocol: every kind of
 * content, lists of three pages, icons, `_meta`, progress, cancellation, logging, questions of all
 * kinds, tasks of both generations, resources, templates, prompts, completion, subscriptions, and
 * changes on request.
 *
 * Over stdio: `node fixture-server.ts`. In a test: `fixtureStdio` of `fixture-server-options.ts`
 * for `mcpSource`, and `fixtureHttp()` of `fixture-server-http.ts` for one over HTTP in this
 * process (both generations at the same URL; the older one with sessions).
 *
 * @param announces notifies this instance's own client of changes: not for one that lives for a
 * single request.
 */
export function fixtureServer(world: FixtureWorld, announces: boolean): Server {
  const server = new Server(
    {
      name: "fixture",
      version: "1.0.0",
      title: "Fixture",
      websiteUrl: "https://fixture.test/",
      icons,
    },
    {
      instructions: "Use it in tests.",
      capabilities: {
        tools: { listChanged: true },
        prompts: { listChanged: true },
        resources: { listChanged: true, subscribe: true },
        completions: {},
        logging: {},
        tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } },
        extensions: { "io.modelcontextprotocol/tasks": {} },
      },
    },
  );
  server.setRequestHandler("tools/list", ({ params }) => {
    const tools = Object.entries(fixtureTools(world.edition)).map(
      ([name, { definition }]): Tool => ({ name, ...definition }),
    );
    return page("tools", tools, params);
  });
  server.setRequestHandler("tools/call", async ({ params }, ctx) => {
    const { name, arguments: args = {} } = params;
    const tool = fixtureTools(world.edition)[name];
    if (tool === undefined) {
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no tool ${name}.`);
    }
    const answer = await tool.call({ args: args as never, params, ctx, world });
    if (!Object.hasOwn(answer, "structuredContent")) return answer as never;
    return server.projectCallToolResult(answer as never, tool.definition.outputSchema);
  });
  offerResources(server);
  offerTasks(server, world);
  const watched = new Set<string>();
  server.setRequestHandler("resources/subscribe", ({ params: { uri } }) => {
    watched.add(uri);
    return {};
  });
  server.setRequestHandler("resources/unsubscribe", ({ params: { uri } }) => {
    watched.delete(uri);
    return {};
  });
  if (announces) {
    const tell = (change: FixtureChange): void => void announce(server, watched, change);
    world.listeners.add(tell);
    Object.assign(server, { onclose: () => world.listeners.delete(tell) });
  }
  return server;
}

async function announce(
  server: Server,
  watched: ReadonlySet<string>,
  { what, uri = "fixture://text" }: FixtureChange,
): Promise<void> {
  // In the newer protocol the subscription lists the wanted notifications, and the SDK checks that.
  const isLegacy = server.getNegotiatedProtocolVersion()?.startsWith("2026") !== true;
  if (what === "tools") await server.sendToolListChanged();
  else if (what === "prompts") await server.sendPromptListChanged();
  else if (what === "resources") await server.sendResourceListChanged();
  else if (!isLegacy || watched.has(uri)) await server.sendResourceUpdated({ uri });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const world = new FixtureWorld();
  serveStdio(() => fixtureServer(world, true));
}
