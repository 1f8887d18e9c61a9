import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { ajvValidator, type JsonObject, type JsonValue } from "@toolweave/core";
import { expect, test } from "vitest";
import { loadConfig } from "@toolweave/config";

const path = createRequire(import.meta.url).resolve("@toolweave/config/toolweave.schema.json");
const schema = JSON.parse(readFileSync(path, "utf8")) as JsonObject;

/** The `properties` of a block's entries. */
function getProperties(block: string): Readonly<Record<string, JsonObject>> {
  const { properties } = schema as {
    properties: Record<string, { additionalProperties: JsonObject }>;
  };
  return properties[block]?.additionalProperties["properties"] as Record<string, JsonObject>;
}

/** A valid value for a part of the schema. */
function createSample({ type, enum: choices, properties, items, anyOf }: JsonObject): JsonValue {
  if (Array.isArray(choices)) return choices[0] as JsonValue;
  if (Array.isArray(anyOf)) return createSample(anyOf[0] as JsonObject);
  if (properties !== undefined) {
    return Object.fromEntries(
      Object.entries(properties as Record<string, JsonObject>).map(([key, part]) => [
        key,
        createSample(part),
      ]),
    );
  }
  const samples: Readonly<Record<string, JsonValue>> = {
    string: "a",
    boolean: true,
    integer: 1000,
    object: {},
  };
  if (type === "array") return items === undefined ? [] : [createSample(items as JsonObject)];
  return samples[[type].flat()[0] as string] ?? "a";
}

const without = (value: JsonValue, ...keys: readonly string[]): JsonObject =>
  Object.fromEntries(Object.entries(value as JsonObject).filter(([key]) => !keys.includes(key)));

/** Special values, where an arbitrary text would be refused. */
const said: Readonly<Record<string, JsonValue>> = {
  url: "http://127.0.0.1:9/mcp",
  baseUrl: "http://127.0.0.1:9",
  allowOrigins: ["http://127.0.0.1:9"],
  credentialOrigins: ["http://127.0.0.1:9"],
  servers: { "https://a.example": "http://127.0.0.1:9" },
  serverVariables: { region: "eu" },
  connect: "lazy",
  rename: { a: "b" },
  overrides: {},
  include: ["a"],
  exclude: ["b"],
  collectPages: { maxPages: 2 },
  auth: { bearer: "${TOKEN}" },
  model: {
    provider: "@ai-sdk/a",
    model: "a",
    baseURL: "http://127.0.0.1:9",
    apiKey: "${TOKEN}",
    name: "a",
  },
};

const selector = { tags: ["a"], paths: ["/a/*"], methods: ["get"], operationIds: ["a"] };

test.each<readonly [string, readonly string[], object]>([
  ["mcp", ["command", "args", "env", "envFile", "cwd", "disabled"], {}],
  ["openapi", ["file", "disabled"], { include: [selector], exclude: [{ extensions: ["x-a"] }] }],
  ["agents", [], { system: "You are.", tools: ["*"], policy: ["readOnly", { default: "ask" }] }],
])(
  "every key of a %s entry in the published schema is accepted by its source",
  async (block, others, more) => {
    const entry = Object.fromEntries(
      Object.entries(getProperties(block))
        .filter(([key]) => !others.includes(key))
        .map(([key, part]) => [key, said[key] ?? createSample(part)]),
    );
    const config = await loadConfig(
      { [block]: { a: { ...entry, ...more } } },
      { env: { TOKEN: "t0ken-0123456789" } },
    );
    expect(config.sources).toHaveLength(1);
    await config.close();
  },
);

test("every key of oauth in the published schema is accepted by the source", async () => {
  const { properties } = getProperties("mcp")["auth"] as {
    readonly properties: Readonly<Record<string, JsonObject>>;
  };
  const { oauth } = properties;
  const values = {
    ...(without(createSample(oauth as JsonObject), "privateKey") as Record<string, JsonValue>),
    clientMetadataUrl: "https://host.example/client.json",
    redirectUri: "http://127.0.0.1:8976/callback",
    issuer: "https://issuer.example",
  };
  const url = "http://127.0.0.1:9/mcp";
  const config = await loadConfig({
    mcp: { a: { url, connect: "lazy", auth: { oauth: values } } },
  });
  expect(config.sources).toHaveLength(1);
  await config.close();
});

test("the published schema accepts the files of other hosts", async () => {
  const check = await ajvValidator().compile(schema);
  expect(
    check({ mcpServers: { a: { command: "npx", args: [], autoApprove: [] } } }),
  ).toBeUndefined();
  expect(
    check({ servers: { a: { type: "http", url: "x" } }, inputs: [{ id: "a" }] }),
  ).toBeUndefined();
  expect(check({ mcp: { a: { comand: "x" } } })).toEqual([
    { path: "/mcp/a/comand", message: "is not a known property" },
  ]);
});
