import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { JsonObject, Tool, ToolSpec } from "@toolweave/core";
import { canonicalJson, describeChange } from "@toolweave/core/adapter";
import {
  lockDifference,
  locked,
  lockOf,
  readLock,
  writeLock,
  type Lock,
  type LockableTool,
} from "@toolweave/config";
import { toolsSource } from "@toolweave/core";
import { openApiSource } from "@toolweave/openapi";
import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { folderWith } from "../support/config-file.ts";

const spec: ToolSpec = {
  name: "pay",
  title: "Pay",
  description: "Pays a bill.",
  inputSchema: {
    type: "object",
    properties: { bill: { $ref: "#/$defs/Bill" }, from: { $ref: "#/$defs/Account" } },
    $defs: { Bill: { type: "string" }, Account: { type: "integer" } },
  },
  outputSchema: { type: "object", properties: { paid: { type: "boolean" } } },
  annotations: { destructiveHint: true, access: { network: true } },
  provenance: {
    adapter: "openapi",
    source: "bank",
    origin: { operationId: "pay", method: "POST", path: "/payments", program: "a".repeat(64) },
  },
  metadata: { servers: ["https://bank.example"], request: "r1" },
};
const argumentsSchema = { type: "object", properties: { bill: { type: "string", minLength: 1 } } };
const pay = (changes: Partial<ToolSpec> = {}, schema: JsonObject = argumentsSchema): Tool => ({
  spec: { ...spec, ...changes },
  argumentsSchema: schema,
  invoke: () => ({ content: [] }),
});
const entries = (tool: Tool, source = "bank") => [{ tool, source }];
const origin = (changes: JsonObject) => ({
  provenance: { ...spec.provenance, origin: { ...spec.provenance.origin, ...changes } },
});

const { $defs, ...input } = spec.inputSchema as { $defs: JsonObject } & JsonObject;
const { outputSchema: _, ...withoutOutput } = spec;

const changes: readonly (readonly [part: string, changed: Tool, lines: readonly RegExp[]])[] = [
  [
    "title",
    pay({ title: "Pay all" }),
    [/^text is now {"description":"Pays a bill.","title":"Pay all"}$/],
  ],
  ["description", pay({ description: "Pays all." }), [/^text is now {"description":"Pays all."/]],
  [
    "description, moved to the title",
    pay({ title: "", description: "PayPays a bill." }),
    [/^text is/],
  ],
  [
    "input schema",
    pay({ inputSchema: { ...spec.inputSchema, minProperties: 1 } }),
    [/^inputSchema is now {/],
  ],
  [
    "definition",
    pay({ inputSchema: { ...input, $defs: { ...$defs, Bill: {} } } }),
    [/^inputSchema is/],
  ],
  [
    "definitions, exchanged",
    pay({
      inputSchema: { ...input, $defs: { Bill: $defs["Account"], Account: $defs["Bill"] } } as never,
    }),
    [/^inputSchema is/],
  ],
  [
    "definition, replaced by its hash",
    pay({
      inputSchema: {
        ...input,
        $defs: { ...$defs, Bill: createHash("sha256").update('{"type":"string"}').digest("hex") },
      },
    }),
    [/^inputSchema is/],
  ],
  ["schema of arguments", pay({}, { type: "object" }), [/^inputSchema is now {/]],
  [
    "output schema",
    pay({ outputSchema: { type: "object" } }),
    [/^outputSchema is now {"type":"object"}$/],
  ],
  ["output schema, removed", { ...pay(), spec: withoutOutput }, [/^outputSchema is gone$/]],
  [
    "annotations",
    pay({ annotations: { readOnlyHint: true, access: { network: false } } }),
    [
      /^annotations\/access\/network: true → false$/,
      /^annotations\/destructiveHint is gone: true$/,
      /^annotations\/readOnlyHint is new: true$/,
    ],
  ],
  [
    "path",
    pay(origin({ path: "/gifts" })),
    [/^call is now {"method":"POST","operationId":"pay","path":"\/gifts"/],
  ],
  ["method", pay(origin({ method: "DELETE" })), [/^call is now {"method":"DELETE"/]],
  [
    "server",
    pay({ metadata: { ...spec.metadata, servers: ["https://evil.example"] } }),
    [/^call is now .*evil/],
  ],
  [
    "serialization",
    pay({ metadata: { ...spec.metadata, request: "r2" } }),
    [/^call is now .*"request":"r2"/],
  ],
  ["visibility", pay({ visibility: "app" }), [/^call is now .*"visibility":"app"}$/]],
  ["program", pay(origin({ program: "b".repeat(64) })), [/^program: "a{64}" → "b{64}"$/]],
];

test.each(changes)("a lock covers the %s of a tool", async (_part, changed, lines) => {
  const path = join(folderWith({}), "toolweave.lock.json");
  for (const options of [{ details: true }, {}]) {
    await writeLock(path, lockOf(entries(pay()), options));
    const lock = await readLock(path);
    expect(lockDifference(lock, entries(pay()))).toEqual({ added: [], removed: [], changed: [] });
    expect(lockDifference(lock, entries(changed)).changed[0]?.changes).not.toEqual([]);
    const source = locked(toolsSource("bank", [changed]), lock);
    expect([source.tools(), source.problems.length]).toEqual([[], 1]);
    expect(locked(toolsSource("bank", [pay()]), lock).tools()).toHaveLength(1);
  }
  const [difference] = lockDifference(await readLock(path), entries(changed)).changed;
  expect(difference?.changes.map(describeChange)).toEqual(
    lines.map((line) => expect.stringMatching(line)),
  );
});

test("a lock is for a source: the same tool of another one is left out, and that is said", () => {
  const lock = lockOf(entries(pay()));
  const { changed } = lockDifference(lock, entries(pay(), "shop"));
  expect(changed[0]?.changes.map(describeChange)).toEqual(['source: "bank" → "shop"']);
  expect(locked(toolsSource("shop", [pay()]), lock).tools()).toEqual([]);
});

test("with details, a difference has both values, also of the schema of arguments", () => {
  const lock = lockOf(entries(pay()), { details: true });
  const describe = (tool: Tool): readonly string[] | undefined =>
    lockDifference(lock, entries(tool)).changed[0]?.changes.map(describeChange);
  expect(describe(pay({ title: "Pay all" }))).toEqual(['title: "Pay" → "Pay all"']);
  expect(describe(pay({ outputSchema: { type: "object" } }))).toEqual([
    'outputSchema/properties is gone: {"paid":{"type":"boolean"}}',
  ]);
  expect(describe(pay({}, { type: "object" }))).toEqual([
    'argumentsSchema is now {"type":"object"}',
  ]);
});

test("a compact lock has a line for each tool, with digests of its parts, and annotations once", async () => {
  const path = join(folderWith({}), "toolweave.lock.json");
  const named = (name: string, description: string): Tool => pay({ name, description });
  const all = [named("pay", "Pays."), named("pay_all", "Pays all."), named("__proto__", "No.")];
  await writeLock(path, lockOf(all.map((tool) => ({ tool, source: "__proto__" }))));
  const lines = readFileSync(path, "utf8").split("\n");
  const parts =
    /^ {6}"\w+": {"text":"[\w-]{32}","input":"[\w-]{32}","output":"[\w-]{32}","call":"[\w-]{32}","program":"a{64}","annotations":"[\w-]{8}"},?$/;
  expect(lines.filter((line) => parts.test(line))).toHaveLength(3);
  expect(lines.filter((line) => line.includes("destructiveHint"))).toHaveLength(1);
  const lock = await readLock(path);
  expect(
    lockDifference(
      lock,
      all.map((tool) => ({ tool, source: "__proto__" })),
    ),
  ).toEqual({
    added: [],
    removed: [],
    changed: [],
  });
});

/** The file that version 1 wrote. */
function version1(name: string, members: JsonObject): string {
  const hash = createHash("sha256")
    .update(canonicalJson([name, members]))
    .digest("hex");
  return JSON.stringify({ version: 1, tools: { [name]: { ...members, hash } } });
}

const { title, description, inputSchema, outputSchema, annotations } =
  spec as unknown as JsonObject;
const written = version1("pay", {
  source: "bank",
  title,
  description,
  inputSchema,
  outputSchema,
  annotations,
  program: "a".repeat(64),
  argumentsHash: createHash("sha256").update(canonicalJson(argumentsSchema)).digest("hex"),
} as JsonObject);

test("a lock of version 1 is enforced with its details, except what it did not cover", async () => {
  const path = join(folderWith({ "toolweave.lock.json": written }), "toolweave.lock.json");
  const lock = await readLock(path);
  const describe = (tool: Tool): readonly string[] | undefined =>
    lockDifference(lock, entries(tool)).changed[0]?.changes.map(describeChange);
  expect(describe(pay())).toBeUndefined();
  for (const [part, changed] of changes) {
    const isCovered = !/^(?:path|method|server|serialization|visibility)$/.test(part);
    expect([part, describe(changed) !== undefined]).toEqual([part, isCovered]);
    expect([part, locked(toolsSource("bank", [changed]), lock).tools().length]).toEqual([
      part,
      isCovered ? 0 : 1,
    ]);
  }
  expect(describe(pay({ description: "Pays all." }))).toEqual([
    'description: "Pays a bill." → "Pays all."',
  ]);
  writeFileSync(path, written.replace("Pays a bill.", "Pays me."));
  await expect(readLock(path)).rejects.toMatchObject({
    code: "invalid_configuration",
    message: expect.stringContaining("the entry of pay does not match its hash"),
  });
});

test("a lock of version 1 that is written again can be read, and is as strict as before", async () => {
  const folder = folderWith({ "toolweave.lock.json": written });
  const [path, again] = [join(folder, "toolweave.lock.json"), join(folder, "again.json")];
  const lock: Lock = await readLock(path);
  await writeLock(again, lock);
  expect(await readLock(again)).toEqual(lock);
});

const document = {
  openapi: "3.1.0",
  info: { title: "Bank", version: "1" },
  servers: [{ url: "https://bank.example" }],
  paths: {
    "/bills": {
      get: {
        operationId: "listBills",
        summary: "List the bills",
        parameters: [
          { name: "ids", in: "query", schema: { type: "array", items: { type: "string" } } },
        ],
        responses: { 200: { description: "ok" } },
      },
    },
  },
};

test.each([
  ["/bills", "/gifts"],
  ["bank.example", "evil.example"],
  ['"in":"query"', '"in":"query","explode":false'],
  ['"responses"', '"security":[{"key":[]}],"responses"'],
])(
  "a document that sends a call elsewhere, or in another way, is noticed: %s → %s",
  async (was, is) => {
    const read = async (text: string): Promise<readonly LockableTool[]> => {
      await using source = openApiSource.fromString(text, { id: "bank" });
      await source.ready;
      return source.tools().map((tool) => ({ tool, source: "bank" }));
    };
    const text = JSON.stringify(document);
    const lock = lockOf(await read(text));
    expect(lockDifference(lock, await read(text)).changed).toEqual([]);
    const { changed } = lockDifference(lock, await read(text.replace(was, is)));
    expect(changed[0]?.changes.map(describeChange)).toEqual([
      expect.stringMatching(/^call is now /),
    ]);
  },
);
