import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { ajvValidator, type JsonObject } from "@toolweave/core";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import {
  acceptedEvents,
  bundleKeys,
  firedEvents,
  hookKeys,
  isKnownEvent,
  toolKeys,
} from "../../src/artifact/keys.ts";
import { readBundleFile, readHookFile, readToolFile } from "../../src/artifact/read-artifact.ts";

const resolve = createRequire(import.meta.url).resolve;

function getSchema(kind: string): JsonObject {
  const path = resolve(`@toolweave/markdown/${kind}-artifact.schema.json`);
  return JSON.parse(readFileSync(path, "utf8")) as JsonObject;
}

const kinds = {
  tool: { schema: getSchema("tool"), keys: toolKeys, read: readToolFile },
  hook: { schema: getSchema("hook"), keys: hookKeys, read: readHookFile },
  bundle: { schema: getSchema("bundle"), keys: bundleKeys, read: readBundleFile },
};

/** Whether the schema of editors and the reader accept a front matter. */
async function judge(kind: keyof typeof kinds, yaml: string) {
  const { schema, read } = kinds[kind];
  const check = await ajvValidator().compile(schema);
  const { findings } = read("some_name.md", `---\n${yaml}\n---\nText.\n`);
  return {
    schema: check(parse(yaml)) === undefined,
    reader: findings.length === 0,
  };
}

describe.each(["tool", "hook", "bundle"] as const)("the schema of a %s", (kind) => {
  const { schema, keys } = kinds[kind];
  const properties = schema["properties"] as Readonly<Record<string, JsonObject>>;

  test("has the keys of the reader, each with a description", () => {
    expect(Object.keys(properties).sort()).toEqual([...keys].sort());
    expect(Object.values(properties).filter(({ description }) => !description)).toEqual([]);
  });
});

test("the schema of a hook has the events that a hook may name", () => {
  const { event } = kinds.hook.schema["properties"] as Readonly<Record<string, JsonObject>>;
  const [{ enum: names }, { pattern }] = (event as JsonObject)["anyOf"] as unknown as [
    JsonObject,
    JsonObject,
  ];
  expect(names).toEqual([...firedEvents, ...acceptedEvents]);
  const others = ["custom.a", "meta.a-b", "custom.", "other.a"];
  const matched = others.filter((name) => new RegExp(pattern as string).test(name));
  expect(matched).toEqual(others.filter(isKnownEvent));
});

test("the schema of a bundle has those of tools and hooks for its entries", () => {
  const { $defs } = kinds.bundle.schema as { readonly $defs: Readonly<Record<string, JsonObject>> };
  const outer = ["$schema", "$defs", "title"];
  const strip = (schema: JsonObject): JsonObject =>
    Object.fromEntries(Object.entries(schema).filter(([key]) => !outer.includes(key)));
  expect($defs["tool"]).toEqual(strip(kinds.tool.schema));
  expect($defs["hook"]).toEqual(strip(kinds.hook.schema));
  expect($defs["parameter"]).toEqual((kinds.tool.schema["$defs"] as JsonObject)["parameter"]);
});

test("schemas and reader accept the same files", async () => {
  const hook = "event: tool.pre\nscript: |\n  def handle(event, payload): return allow()";
  const bundle = "type: plugin\nname: pair\ndescription: Two.";
  const accepted = await Promise.all([
    judge("tool", "script: |\n  def run(args): return 1"),
    judge(
      "tool",
      "parameters:\n  a: { type: string, required: true, enum: [a, b] }\n  b: { type: array, items: { type: integer, minimum: 1 } }",
    ),
    judge(
      "tool",
      "name: some_name\ntitle: Some\ndescription: It.\ntimeout_ms: 0\nasync: true\noverride: true",
    ),
    judge(
      "tool",
      "input: { type: object, properties: { a: { type: string } } }\noutput: { type: object }",
    ),
    judge(
      "tool",
      "annotations: { readOnlyHint: true, needsApprovalHint: false }\nerror_shape: error",
    ),
    judge(
      "tool",
      "access: { filesystem: read, process: [git], network: false }\nlimits: { steps: 5, memory_mb: 1, effects: 2 }",
    ),
    judge(
      "tool",
      "dialect: { set: true, while: true, top_level_control: true, global_reassign: true, recursion: false, fstrings: true }\nmetadata: { a: 1 }",
    ),
    judge("hook", hook),
    judge("hook", `${hook}\nwhen: payload["name"] == "x"\npriority: -5\ntimeout_ms: 10`),
    judge("bundle", bundle),
    judge(
      "bundle",
      `${bundle}\nversion: "1"\nauthor: A\ntags: [a]\ndepends_on: [b]\ncondition: platform == "linux"\ntools:\n  - name: a\n    script: "def run(args): return 1"\nhooks:\n  - name: b\n    event: tool.post\n    script: "def handle(event, payload): return allow()"`,
    ),
  ]);
  expect(accepted).toEqual(accepted.map(() => ({ schema: true, reader: true })));
});

test("schemas and reader refuse the same files", async () => {
  const refused = await Promise.all([
    judge("tool", "scripts: x"),
    judge("tool", "timeout_ms: -1"),
    judge("tool", "timeout_ms: fast"),
    judge("tool", "parameters: { a: { type: text } }"),
    judge("tool", "parameters: { a: { required: true } }"),
    judge("tool", "parameters: [a]"),
    judge("tool", "async: 1"),
    judge("tool", "annotations: { readOnly: true }"),
    judge("tool", "access: { filesystem: all }"),
    judge("tool", "access: { process: git }"),
    judge("tool", "limits: { steps: 0 }"),
    judge("tool", "dialect: { types: true }"),
    judge("tool", "error_shape: both"),
    judge("tool", "parameters: {}\ninput: {}"),
    judge("tool", "name: a b"),
    judge("hook", "event: tool.pre"),
    judge("hook", "event: tool.before\nscript: x = 1"),
    judge("hook", "script: x = 1"),
    judge("hook", "event: tool.pre\nscript: x = 1\npriority: high"),
    judge("bundle", "name: a\ndescription: b"),
    judge("bundle", "type: bundle\nname: a\ndescription: b"),
    judge("bundle", "type: plugin\nname: a\ndescription: b\ntools: [{ script: x = 1 }]"),
    judge("bundle", "type: plugin\nname: a\ndescription: b\ntags: x"),
  ]);
  expect(refused).toEqual(refused.map(() => ({ schema: false, reader: false })));
});
