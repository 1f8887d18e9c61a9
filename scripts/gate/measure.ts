// Counts the work of one operation, in a process of its own: run with the flags of `measureFlags`. Prints JSON.
import { statSync } from "node:fs";
import { Session, type Profiler } from "node:inspector/promises";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

/** The work of an operation, in units that the load of a machine does not change. */
export interface Counts {
  /** Calls of functions of the workspace's packages, for each operation. */
  readonly functions?: number;
  /** Bytes that are allocated for each operation by code that is not optimised. */
  readonly bytes?: number;
  /** Bytes of the modules that are loaded, of the workspace and of its dependencies. */
  readonly loaded?: number;
  /** Modules of Node.js that are loaded. */
  readonly builtIns?: number;
}

/** An operation that is repeated. */
interface Operation {
  readonly times: number;
  readonly run: () => Promise<unknown>;
}

const root = process.argv[3] ?? "";

function entry<Module>(name: string): Promise<Module> {
  return import(pathToFileURL(join(root, "packages", name)).href) as Promise<Module>;
}

type Core = typeof import("../../packages/core/src/index.ts");
type OpenApi = typeof import("../../packages/openapi/src/index.ts");

const schema = {
  type: "object",
  properties: { a: { type: "number" }, b: { type: "number" } },
  required: ["a", "b"],
  additionalProperties: false,
} as const;

async function calls(policy: boolean): Promise<Operation> {
  const { defineTool, ToolExecutor, ToolRegistry } = await entry<Core>("core/dist/index.js");
  const names = Array.from({ length: 20 }, (_, index) => `add_${index}`);
  const registry = new ToolRegistry(
    names.map((name) =>
      defineTool({
        name,
        description: "Add two numbers.",
        input: schema,
        execute: async ({ a, b }) => a + b,
      }),
    ),
  );
  const rules = names.slice(0, 5).map((tools) => ({ effect: "allow", tools }) as const);
  const executor = new ToolExecutor({
    registry,
    ...(policy ? { policy: { rules }, hooks: [{ beforeCall: () => {} }] } : {}),
  });
  if (policy) executor.on(() => {});
  const run = executor.startRun(policy ? { limits: { calls: 1_000_000 } } : {});
  let made = 0;
  return {
    times: 2_000,
    run: () => {
      made += 1;
      const name = names[made % names.length] as string;
      return run.execute({ id: `${made}`, name, arguments: { a: made, b: 1 } });
    },
  };
}

/** An OpenAPI document whose operations share schemas, some of which refer to themselves. */
function createDocument(resources: number): object {
  const reference = (name: string): object => ({ $ref: `#/components/schemas/${name}` });
  const json = (name: string): object => ({ "application/json": { schema: reference(name) } });
  const parameter = { name: "id", in: "path", required: true, schema: { type: "string" } };
  const paths: Record<string, object> = {};
  const schemas: Record<string, object> = {
    Owner: { type: "object", properties: { name: { type: "string" }, boss: reference("Owner") } },
  };
  for (let index = 0; index < resources; index++) {
    const name = `Item${index}`;
    schemas[name] = {
      type: "object",
      required: ["title"],
      properties: {
        title: { type: "string", maxLength: 100, description: "What people read." },
        tags: { type: "array", items: { type: "string" } },
        owner: reference("Owner"),
        state: { enum: ["open", "closed"] },
      },
    };
    paths[`/items${index}/{id}`] = {
      parameters: [parameter],
      get: {
        operationId: `get${name}`,
        responses: { 200: { description: "ok", content: json(name) } },
      },
      put: {
        operationId: `put${name}`,
        requestBody: { required: true, content: json(name) },
        responses: { 200: { description: "ok" } },
      },
    };
  }
  return {
    openapi: "3.1.0",
    info: { title: "Items", version: "1" },
    paths,
    components: { schemas },
  };
}

async function listing(): Promise<Operation> {
  const { ToolRegistry } = await entry<Core>("core/dist/index.js");
  const { openApiSource } = await entry<OpenApi>("openapi/dist/index.js");
  const text = JSON.stringify(createDocument(100));
  return {
    times: 5,
    run: async () => {
      const source = openApiSource(text);
      const registry = new ToolRegistry([source]);
      await registry.load();
      const specs = registry.toolset().specs();
      const length = JSON.stringify(specs).length;
      await registry.close();
      return length;
    },
  };
}

const operations: Readonly<Record<string, () => Promise<Operation>>> = {
  call: () => calls(false),
  "call with policy, hook, listener and limits": () => calls(true),
  "OpenAPI document with every schema": listing,
};

const entries: Readonly<Record<string, string>> = {
  "import of core": "core/dist/index.js",
  "import of core's entry for adapters": "core/dist/adapter.js",
  "import of openapi": "openapi/dist/index.js",
  "import of mcp": "mcp/dist/index.js",
};

async function repeat({ times, run }: Operation): Promise<void> {
  for (let index = 0; index < times; index++) await run();
}

const isOwn = (url: string): boolean => /\/packages\/[^/]+\/dist\//.test(url);

async function countFunctions(operation: Operation): Promise<number> {
  const session = new Session();
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
  await repeat(operation);
  await session.post("Profiler.takePreciseCoverage");
  await repeat(operation);
  const { result } = (await session.post(
    "Profiler.takePreciseCoverage",
  )) as Profiler.TakePreciseCoverageReturnType;
  session.disconnect();
  const called = result
    .filter(({ url }) => isOwn(url))
    .flatMap(({ functions }) => functions.map(({ ranges }) => ranges[0]?.count ?? 0));
  return called.reduce((sum, count) => sum + count, 0) / operation.times;
}

async function countBytes(operation: Operation): Promise<number> {
  await repeat(operation);
  await repeat(operation);
  globalThis.gc?.();
  const before = process.memoryUsage().heapUsed;
  await repeat(operation);
  return (process.memoryUsage().heapUsed - before) / operation.times;
}

async function countLoaded(name: string): Promise<Counts> {
  const session = new Session();
  session.connect();
  const urls = new Set<string>();
  session.on("Debugger.scriptParsed", ({ params }) => urls.add(params.url));
  await session.post("Debugger.enable");
  const before = new Set(urls);
  await entry(name);
  session.disconnect();
  const loaded = [...urls].filter((url) => !before.has(url));
  const files = loaded.filter((url) => url.startsWith("file:")).map((url) => fileURLToPath(url));
  return {
    loaded: files.reduce((sum, path) => sum + statSync(path).size, 0),
    builtIns: loaded.filter((url) => url.startsWith("node:")).length,
  };
}

async function measure(name: string): Promise<Counts> {
  const operation = operations[name];
  if (operation === undefined) return countLoaded(entries[name] ?? "");
  return {
    bytes: Math.round(await countBytes(await operation())),
    functions: Math.round(await countFunctions(await operation())),
  };
}

/** The names of everything that is counted. */
export const countedNames: readonly string[] = [
  ...Object.keys(operations),
  ...Object.keys(entries),
];

/** The flags of Node.js with which counts are the same in every run: nothing is compiled or collected meanwhile. */
export const measureFlags: readonly string[] = [
  "--no-opt",
  "--no-maglev",
  "--no-sparkplug",
  "--single-threaded",
  "--expose-gc",
  "--min-semi-space-size=256",
  "--max-semi-space-size=256",
];

if (import.meta.main) process.stdout.write(JSON.stringify(await measure(process.argv[2] ?? "")));
