import { inspect } from "node:util";
import { suspend, text, ToolError, type Tool } from "@toolweave/core";
import { SecretSet } from "@toolweave/core/adapter";
import type { Manifest } from "../../src/index.ts";
import { librarySecret, sourceManifest, toolsManifest, type Backend } from "../fixtures/index.ts";
import { ofSource, over, spare, withInvoke, type Mutant } from "./mutant.ts";

const secret = "key-4fQz8mWn2LrT";

/** Tools with a secret. A list of tools registers no secrets, so nothing redacts it. */
function keyed(rule: string, what: string, change: (tools: Tool[]) => readonly Tool[]): Mutant {
  const manifest = (): Manifest => ({ ...toolsManifest(change), without: {}, secrets: [secret] });
  return { rule, what, manifest };
}

/** The same, one of them with another function. */
function keyedTool(
  rule: string,
  name: string,
  what: string,
  invoke: Parameters<typeof withInvoke>[2],
): Mutant {
  return keyed(rule, what, (tools) => withInvoke(tools, name, invoke));
}

/** An address with the key as a part of the path: in no encoding that an executor finds. */
const address = `https://doors.example.com/bot-${secret}/north`;

/** The additional fields of errors of an HTTP client. */
function requestError(): Error {
  const error = new Error("Request failed with status code 423");
  return Object.assign(error, { config: { method: "get", url: address, timeout: 1000 } });
}

/** The tools, one of which names the other addresses that it tried during an outage. */
function revealReplica(tools: readonly Tool[], { away }: Backend): readonly Tool[] {
  return withInvoke(tools, "add", async (args, ctx, add) => {
    try {
      return await add(args, ctx);
    } catch (cause) {
      if (!away.signal.aborted) throw cause;
      const message = `The library cannot be reached, nor can ${address}.`;
      throw new ToolError("unavailable", message, { cause });
    }
  });
}

export const secretMutants: readonly Mutant[] = [
  keyed("TW-SECRET-001", "the key in the address that a tool came from", (tools) => [
    ...tools,
    {
      ...spare,
      spec: {
        ...spare.spec,
        provenance: { adapter: "openapi", source: `https://example.com/openapi?key=${secret}` },
      },
    },
  ]),
  keyed("TW-SECRET-001", "the headers of a client in the metadata", (tools) => [
    ...tools,
    {
      ...spare,
      spec: {
        ...spare.spec,
        metadata: { headers: { authorization: `Basic ${btoa(`library:${secret}`)}` } },
      },
    },
  ]),
  ofSource("TW-SECRET-002", "the key in the address that names the source", (source) =>
    over(source, { id: `https://library.example.com/?key=${librarySecret}` }),
  ),
  ofSource("TW-SECRET-002", "the key in what could not be loaded", (source) =>
    over(source, {
      problems: [
        {
          subject: "GET /shelves",
          message: `https://example.com/shelves?key=${librarySecret} answered 404: correct the path.`,
          severity: "warning",
        },
      ],
    }),
  ),
  ofSource("TW-SECRET-003", "a source that registers nothing", (source) =>
    over(source, { secrets: new SecretSet() }),
  ),
  keyedTool("TW-SECRET-003", "draw", "a result that contains the request", () => ({
    content: [text("dot")],
    details: { request: { method: "GET", url: address } },
  })),
  keyedTool("TW-SECRET-003", "draw", "a stored log of the request", async (_, { artifacts }) => {
    const data = `GET ${address}\nAccept: image/png\n`;
    const log = await artifacts.write(data, { mediaType: "text/plain", name: "request.log" });
    return { content: [text("dot")], artifacts: [log] };
  }),
  keyedTool("TW-SECRET-003", "draw", "a page in which the key is written by numbers", () => [
    text(
      `<svg><!-- ${[...secret].map((one) => `&#x${one.charCodeAt(0).toString(16)};`).join("")} -->`,
    ),
  ]),
  keyedTool("TW-SECRET-003", "draw", "a key in two pieces", () => [
    text(`key: ${secret.slice(0, 6)}`),
    text(secret.slice(6)),
  ]),
  keyedTool("TW-SECRET-004", "open_door", "the key in a disclosed address", () => {
    throw new Error(`${address} answered 423: the door is locked.`);
  }),
  keyedTool("TW-SECRET-004", "open_door", "an upstream that returns the request", () => {
    throw new ToolError("upstream", "The door is locked.", {
      status: 423,
      body: { message: "locked", request: { user: btoa(`door:${secret}`) } },
    });
  }),
  keyedTool(
    "TW-SECRET-005",
    "count_up",
    "a progress message with the address",
    (args, ctx, count) => {
      ctx.progress({
        // In the path: the executor itself masks parameters with such a name.
        message: `asking https://example.com/keys/${encodeURIComponent(secret)}/count`,
      });
      return count(args, ctx);
    },
  ),
  keyedTool("TW-SECRET-005", "count_up", "an update with the request", async (args, ctx, count) => {
    await ctx.update({ content: [text(`GET ${address}`)] });
    return count(args, ctx);
  }),
  keyed("TW-SECRET-006", "a permission to reach an address with the key", (tools) =>
    tools.map((tool) =>
      tool.spec.name === "find_book"
        ? {
            spec: tool.spec,
            invoke: tool.invoke.bind(tool),
            preflight: () => [
              {
                kind: "network",
                target: address,
                summary: "Search",
              },
            ],
          }
        : tool,
    ),
  ),
  keyedTool(
    "TW-SECRET-006",
    "ask_name",
    "a question that contains the address",
    (args, ctx, ask) => {
      if (ctx.resumed !== undefined) return ask(args, ctx);
      const message = `What is your name at ${address}?`;
      return suspend([{ id: "name", type: "input", message, schema: { type: "string" } }], {
        title: args["title"] ?? "",
      });
    },
  ),
  ofSource("TW-SECRET-007", "an unavailable address with its key", (source, { away }) => {
    const ready = source.ready.catch((cause: unknown) => {
      const library = `https://library.example.com/?key=${librarySecret}`;
      throw new ToolError("unavailable", `${library} cannot be reached.`, { cause });
    });
    ready.catch(() => {});
    return away.signal.aborted ? over(source, { ready }) : source;
  }),
  {
    rule: "TW-SECRET-007",
    what: "a call that names the second address, which is not registered",
    manifest: () => ({
      ...sourceManifest((source, backend) => {
        const lists = new WeakMap<readonly Tool[], readonly Tool[]>();
        return over(source, {
          tools: () => {
            const tools = source.tools();
            const list = lists.get(tools) ?? revealReplica(tools, backend);
            lists.set(tools, list);
            return list;
          },
        });
      }),
      secrets: [librarySecret, secret],
    }),
  },
  ofSource(
    "TW-SECRET-007",
    "a problem that contains the unavailable address",
    (source, backend) => {
      const message = `https://library.example.com/?key=${librarySecret} cannot be reached.`;
      return over(source, {
        get problems() {
          return backend.away.signal.aborted ? [{ subject: "library", message }] : [];
        },
      });
    },
  ),
  keyedTool("TW-SECRET-008", "open_door", "a client's error with its request", () => {
    throw new ToolError("upstream", "The door is locked.", { status: 423, cause: requestError() });
  }),
  keyedTool("TW-SECRET-009", "add", "the headers of a request in the log", (args, ctx, add) => {
    console.error("authorization: %s", secret);
    return add(args, ctx);
  }),
  keyed("TW-SECRET-001", "the address of a connection as a fingerprint", (tools) =>
    tools.map((tool) =>
      tool.spec.name === "greet"
        ? { spec: tool.spec, invoke: tool.invoke.bind(tool), fingerprint: `${address} greet` }
        : tool,
    ),
  ),
  keyedTool("TW-SECRET-003", "greet", "the headers of a request as bytes in JSON", () =>
    JSON.stringify({ authorization: Buffer.from(`Bearer ${secret}`) }),
  ),
  keyedTool("TW-SECRET-003", "greet", "a buffer as Node prints it", () =>
    inspect({ authorization: Buffer.from(secret) }),
  ),
];
