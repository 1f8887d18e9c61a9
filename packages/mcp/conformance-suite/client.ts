/**
 * The client that the official conformance suite of MCP drives: `mcpSource` and an executor, and a person who agrees to
 * everything. The suite gives the server's URL as the last argument, and what else a scenario needs in the environment.
 */
import { ToolExecutor, ToolRegistry } from "@toolweave/core";
import { memoryCredentials } from "@toolweave/core/stores";
import type {
  Answer,
  InterruptionRequest,
  JsonObject,
  JsonSchema,
  JsonValue,
  ToolCall,
  ToolError,
  ToolOutcome,
} from "@toolweave/core";
import {
  mcpSource,
  signIn,
  type McpHttpServer,
  type McpOAuth,
  type McpSource,
} from "../src/index.ts";

/** The context of a scenario beside the URL. */
interface ScenarioContext {
  readonly client_id?: string;
  readonly client_secret?: string;
  readonly private_key_pem?: string;
  readonly signing_algorithm?: string;
  readonly issuer?: string;
  readonly toolCalls?: readonly { readonly name: string; readonly arguments: JsonObject }[];
}

/** A person who is sent to sign in again and again gives up. */
const maxSignIns = 2;

/** So does one who is asked again and again by a call. */
const maxAnswers = 10;

const url = process.argv.at(-1) ?? "";
const scenario = process.env["MCP_CONFORMANCE_SCENARIO"] ?? "";
const context = JSON.parse(process.env["MCP_CONFORMANCE_CONTEXT"] ?? "{}") as ScenarioContext;
const store = memoryCredentials();

let allowOrigins: readonly string[] = [];

async function run(): Promise<void> {
  const source = await connected();
  const executor = new ToolExecutor({ registry: new ToolRegistry([source]), policy: "autonomous" });
  const calls: Promise<ToolOutcome>[] = [];
  for (const [index, call] of listCalls(source).entries()) {
    calls.push(executeCall(executor, { id: `call_${index}`, ...call }));
  }
  for (const outcome of await Promise.all(calls)) {
    if (outcome.status === "failed") {
      process.exitCode = 1;
      process.stderr.write(`${outcome.result.toolName}: ${outcome.error.message}\n`);
    }
  }
  await source.close();
}

/** A source that is ready, once a person has signed in if required. */
async function connected(): Promise<McpSource> {
  for (let times = 0; ; times++) {
    const source = mcpSource(await server());
    try {
      await source.ready;
      return source;
    } catch (error) {
      await source.close();
      if ((error as ToolError).code !== "auth_required" || times === maxSignIns) throw error;
      const begun = await allowing(async () => signIn(await server()));
      await begun?.finish(await visited(begun.url));
    }
  }
}

async function server(): Promise<McpHttpServer> {
  return {
    name: "suite",
    url,
    prefix: false,
    allowOrigins,
    auth: { oauth: await oauth(), store },
    onElicitation: () => ({ action: "accept", content: {} }),
    onSampling: () => ({
      role: "assistant",
      content: { type: "text", text: "Yes." },
      model: "none",
    }),
    roots: [],
  };
}

/** As whom the scenario says that the client is registered. */
async function oauth(): Promise<McpOAuth> {
  const { client_id: clientId, client_secret: clientSecret, private_key_pem: key } = context;
  const isItself = scenario.startsWith("auth/client-credentials");
  return {
    clientMetadataUrl: "https://conformance-test.local/client-metadata.json",
    ...(clientId === undefined ? {} : { clientId, issuer: context.issuer ?? (await issuer()) }),
    ...(clientSecret === undefined ? {} : { clientSecret }),
    ...(key === undefined
      ? {}
      : { privateKey: { key, algorithm: context.signing_algorithm ?? "" } }),
    ...(isItself ? { flow: "clientCredentials" } : {}),
  };
}

/** An operator who has a secret knows whose it is; the scenario does not say it, its server does. */
async function issuer(): Promise<string> {
  const { origin, pathname } = new URL(url);
  const answer = await fetch(`${origin}/.well-known/oauth-protected-resource${pathname}`);
  const { authorization_servers: servers } = (await answer.json()) as Record<string, string[]>;
  allowOrigins = [...allowOrigins, ...(servers ?? []).map((one) => new URL(one).origin)];
  return servers?.[0] ?? origin;
}

/** The suite's authorization servers are on loopback, which the host must allow. */
async function allowing<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const origin = /allowOrigins: \["([^"]+)"\]/.exec((error as Error).message)?.[1];
    if (origin === undefined || allowOrigins.includes(origin)) throw error;
    allowOrigins = [...allowOrigins, origin];
    return allowing(work);
  }
}

/** Where a person is led back to who agrees to everything. */
async function visited(address: string): Promise<string> {
  const { headers } = await fetch(address, { redirect: "manual" });
  return headers.get("location") ?? "";
}

function listCalls(source: McpSource): readonly Omit<ToolCall, "id">[] {
  if (context.toolCalls !== undefined) {
    // A null that the tool's own schema does not take never leaves the executor.
    return context.toolCalls.map(({ name, arguments: given }) => ({
      name,
      arguments: Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null)),
    }));
  }
  return source.tools().map(({ spec }) => ({
    name: spec.name,
    arguments: createSample(spec.inputSchema) as JsonObject,
  }));
}

async function executeCall(executor: ToolExecutor, call: ToolCall): Promise<ToolOutcome> {
  let outcome = await executor.execute(call);
  for (let times = 0; outcome.status === "interrupted" && times < maxAnswers; times++) {
    const answers = await Promise.all(outcome.interruption.requests.map(answerTo));
    outcome = await executor.resume(outcome.interruption, answers);
  }
  return outcome;
}

async function answerTo(request: InterruptionRequest): Promise<Answer> {
  const { id: requestId } = request;
  if (request.type === "auth") {
    return { type: "input", requestId, value: await visited(request.url ?? "") };
  }
  if (request.type === "input") {
    return { type: "input", requestId, value: createSample(request.schema ?? {}) };
  }
  return { type: "approve", requestId };
}

/** The least that a schema takes, as far as the suite's schemas go. */
function createSample(schema: JsonSchema): JsonValue {
  const { type, properties, required, default: usual, enum: choices, oneOf } = schema as JsonObject;
  if (usual !== undefined) return usual;
  if (Array.isArray(choices)) return choices[0] ?? null;
  if (Array.isArray(oneOf)) return createSample(oneOf[0] as JsonSchema);
  switch (type) {
    case "string":
      return "text";
    case "number":
    case "integer":
      return 1;
    case "boolean":
      return true;
    case "array":
      return [];
    default: {
      const all = Object.entries((properties ?? {}) as Record<string, JsonSchema>);
      const wanted = all.filter(([name]) => Array.isArray(required) && required.includes(name));
      return Object.fromEntries(wanted.map(([name, value]) => [name, createSample(value)]));
    }
  }
}

try {
  await run();
} catch (error) {
  process.exitCode = 1;
  process.stderr.write(`${(error as Error).message}\n`);
}
