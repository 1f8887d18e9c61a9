import {
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  type Prompt,
  type Resource,
  type ResourceTemplateType,
  type Server,
} from "@modelcontextprotocol/server";
import { icons, picture } from "./fixture-server-state.ts";

const months = ["april", "august", "january", "july", "june", "may"];

const resources: readonly Resource[] = [
  {
    uri: "fixture://text",
    name: "text",
    title: "A text",
    description: "Plain text.",
    mimeType: "text/plain",
    size: 5,
    icons,
    annotations: { audience: ["user"], priority: 0.5, lastModified: "2026-01-01T00:00:00Z" },
    _meta: { "fixture/kind": "text" },
  },
  { uri: "fixture://picture", name: "picture", mimeType: "image/png" },
  { uri: "fixture://both", name: "both", description: "A text and a picture." },
  ...months.map((month) => ({
    uri: `fixture://month/${month}`,
    name: month,
    mimeType: "text/plain",
  })),
];

const templates: readonly ResourceTemplateType[] = [
  {
    uriTemplate: "fixture://month/{month}",
    name: "month",
    title: "A month",
    description: "Any month, by its name.",
    mimeType: "text/plain",
    icons,
    _meta: { "fixture/kind": "template" },
  },
  { uriTemplate: "fixture://{kind}/{id}", name: "anything" },
  { uriTemplate: "fixture://search{?query}", name: "search" },
];

const prompts: readonly Prompt[] = [
  {
    name: "greet",
    title: "Greet",
    description: "Greet a person.",
    icons,
    arguments: [
      { name: "name", description: "Who is greeted.", required: true },
      { name: "month", description: "When." },
    ],
    _meta: { "fixture/kind": "prompt" },
  },
  { name: "show", description: "A conversation with a picture and a resource." },
  { name: "say/nothing", description: "A prompt whose name is no tool's name." },
];

/** Everything that the fixture server offers beside tools. Each list has three pages. */
export function offerResources(server: Server): void {
  server.setRequestHandler("resources/list", ({ params }) => page("resources", resources, params));
  server.setRequestHandler("resources/templates/list", ({ params }) =>
    page("resourceTemplates", templates, params),
  );
  server.setRequestHandler("prompts/list", ({ params }) => page("prompts", prompts, params));
  server.setRequestHandler("resources/read", ({ params: { uri } }) => ({
    contents: readContents(uri),
    _meta: { "fixture/read": uri },
  }));
  server.setRequestHandler("prompts/get", ({ params }) =>
    createPrompt(params.name, params.arguments),
  );
  server.setRequestHandler("completion/complete", ({ params: { ref, argument, context } }) => {
    const isMonth =
      argument.name === "month" &&
      (ref.type === "ref/prompt" ? ref.name === "greet" : ref.uri === templates[0]?.uriTemplate);
    const known = isMonth ? months.filter((month) => month.startsWith(argument.value)) : [];
    const chosen = context?.arguments?.["name"];
    const values = chosen === undefined ? known : known.map((month) => `${month} for ${chosen}`);
    return { completion: { values, total: values.length, hasMore: false } };
  });
}

/** One of three pages; the cursor is its offset. */
export function page<Name extends string, One>(
  name: Name,
  all: readonly One[],
  params: { readonly cursor?: string | undefined } | undefined,
): Record<Name, One[]> & { nextCursor?: string } {
  const size = Math.ceil(all.length / 3);
  const start = Number(params?.cursor ?? 0);
  if (!Number.isInteger(start) || start < 0 || start >= all.length) {
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, "There is no such page.");
  }
  const next = start + size;
  const part = { [name]: all.slice(start, next) } as Record<Name, One[]>;
  return next < all.length ? { ...part, nextCursor: String(next) } : part;
}

type Contents = ({ text: string } | { blob: string }) & { uri: string; mimeType?: string };

function readContents(uri: string): Contents[] {
  const text = {
    uri: "fixture://text",
    mimeType: "text/plain",
    text: "Hello",
  };
  const blob = { uri: "fixture://picture", mimeType: "image/png", blob: picture };
  if (uri === text.uri) return [text];
  if (uri === blob.uri) return [blob];
  if (uri === "fixture://both") return [text, blob];
  const month = /^fixture:\/\/month\/([a-z]+)$/.exec(uri)?.[1];
  if (month !== undefined) return [{ uri, mimeType: "text/plain", text: `The month ${month}.` }];
  throw new ResourceNotFoundError(uri);
}

function createPrompt(
  name: string,
  given: Record<string, string> | undefined,
): {
  description?: string;
  messages: { role: "user" | "assistant"; content: never }[];
} {
  const message = (role: "user" | "assistant", content: object) => ({
    role,
    content: content as never,
  });
  switch (name) {
    case "greet": {
      const { name: who, month } = given ?? {};
      if (who === undefined) {
        throw new ProtocolError(ProtocolErrorCode.InvalidParams, "The argument name is missing.");
      }
      const text = month === undefined ? `Greet ${who}.` : `Greet ${who} in ${month}.`;
      return {
        description: "Greet a person.",
        messages: [message("user", { type: "text", text })],
      };
    }
    case "show": {
      const resource = { uri: "fixture://text", mimeType: "text/plain", text: "Hello" };
      return {
        messages: [
          message("user", { type: "text", text: "What is this?" }),
          message("user", { type: "image", data: picture, mimeType: "image/png" }),
          message("assistant", { type: "resource", resource }),
        ],
      };
    }
    case "say/nothing":
      return { messages: [] };
    default:
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no prompt ${name}.`);
  }
}
