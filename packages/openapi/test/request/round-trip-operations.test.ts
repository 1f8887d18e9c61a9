import {
  ToolExecutor,
  ToolRegistry,
  type JsonObject,
  type JsonValue,
  type Tool,
  type ToolOutcome,
} from "@toolweave/core";
import { argumentsSchemaOf } from "@toolweave/core/adapter";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openApiSource, type OpenApiOptions } from "../../src/index.ts";
import { RecordingServer, respond } from "@toolweave/test-support/recording-server";
import {
  drawnArguments,
  isEmpty,
  mayRefuse,
  type DrawnArgument,
} from "../support/round-trip/random-arguments.ts";
import { createDocument } from "../support/round-trip/operation-document.ts";
import { drawnOperation, type DrawnOperation } from "../support/round-trip/random-operation.ts";
import { seeded } from "../support/round-trip/seeds.ts";
import { catchFailure } from "../support/round-trip/sent-or-refused.ts";
import { readOperation } from "../support/round-trip/wire-operation.ts";

let server: RecordingServer;

beforeAll(async () => {
  server = await RecordingServer.start(respond(204, "", ""));
});

afterAll(() => server.close());

const settings = seeded(60_603, 400);

/** Uses the one tool of a document, with an executor. */
async function withTool<T>(
  document: JsonObject,
  options: OpenApiOptions,
  use: (tool: Tool, run: (args: JsonObject) => Promise<ToolOutcome>) => T | Promise<T>,
): Promise<T> {
  const source = openApiSource.fromDocument(document, { baseUrl: server.origin, ...options });
  const registry = new ToolRegistry([source]);
  try {
    await registry.ready;
    const [tool] = source.tools();
    if (tool === undefined) throw new Error(JSON.stringify(source.problems));
    const executor = new ToolExecutor({ registry, policy: "autonomous" });
    return await use(tool, (args) =>
      executor.execute({ id: "1", name: tool.spec.name, arguments: args }),
    );
  } finally {
    await registry.close();
  }
}

/** The values that the host chooses, and those of the model. */
interface Chosen {
  readonly hidden: string[];
  readonly fixed: Record<string, JsonValue>;
  readonly args: Record<string, JsonValue>;
  /** All values that should arrive. */
  readonly sent: readonly DrawnArgument[];
}

function choose(operation: DrawnOperation, all: readonly DrawnArgument[]): Chosen {
  const hidden: string[] = [];
  const fixed: Record<string, JsonValue> = {};
  const args: Record<string, JsonValue> = {};
  const sent: DrawnArgument[] = [];
  for (const [index, one] of all.entries()) {
    const host = operation.host[index] ?? "none";
    const { argument, sample, required, passed } = one;
    if (host === "hides" && !required) hidden.push(argument);
    else if (passed) {
      sent.push(one);
      const isFixed = host === "fixes" && !mayRefuse(one, operation);
      (isFixed ? fixed : args)[argument] = sample.value;
    }
  }
  return { hidden, fixed, args, sent };
}

let arrived = 0;
let refused = 0;

async function arrives(operation: DrawnOperation): Promise<void> {
  const document = createDocument(operation);
  await withTool(document, {}, async (tool, run) => {
    const all = drawnArguments(operation, argumentsSchemaOf(tool) as JsonObject);
    const chosen = choose(operation, all);
    const { hidden, fixed } = chosen;
    const kept = [...hidden, ...Object.keys(fixed)];
    if (kept.length === 0) return check(operation, all, chosen, run);
    await withTool(document, { overrides: { op: { hidden, fixed } } }, (other, runOther) => {
      const offered = argumentsSchemaOf(other)["properties"] as JsonObject;
      expect(Object.keys(offered).filter((name) => kept.includes(name))).toEqual([]);
      return check(operation, all, chosen, runOther);
    });
  });
}

/** Makes the call, and reads what has arrived, or the reason of a refusal. */
async function check(
  operation: DrawnOperation,
  all: readonly DrawnArgument[],
  { args, sent }: Chosen,
  run: (args: JsonObject) => Promise<ToolOutcome>,
): Promise<void> {
  server.requests.length = 0;
  const outcome = await run(args);
  if (outcome.status === "failed") {
    const { code, message } = outcome.error;
    expect([code, server.requests]).toEqual(["invalid_arguments", []]);
    const named = sent.filter(({ argument, sample, parameter, property }) => {
      const isWhole = parameter === undefined && property === undefined;
      // In a body that is one argument, a field is named.
      return [argument, ...(isWhole ? sample.keys : [])].some((name) => message.includes(name));
    });
    const isOfSchema = message.startsWith("The arguments of");
    const mayBe = isOfSchema ? isEmpty : mayRefuse;
    if (!named.some((one) => mayBe(one, operation))) throw new Error(`refused: ${message}`);
    refused++;
    return;
  }
  expect([outcome.status, server.requests.length]).toEqual(["completed", 1]);
  const read = await readOperation(operation, server.last);
  for (const [parameter, value] of read.parameters) {
    const given = sent.find((one) => one.parameter === parameter);
    expect(value, `${parameter.in} ${parameter.name}`).toEqual(
      given === undefined ? undefined : expectedParameter(given),
    );
  }
  expect(read.body).toEqual(expectedBody(operation, sent, all));
  arrived++;
}

/** A scalar is text, null and empty values are not sent, deeper ones are JSON. */
function expectedParameter({ sample: { value }, parameter }: DrawnArgument): unknown {
  if (parameter?.isJson === true) return value;
  return parameter?.style === "deepObject" ? flattened(value) : styled(value);
}

function styled(value: JsonValue): unknown {
  if (value === null) return undefined;
  if (typeof value !== "object") return String(value);
  const members = Object.entries(value).filter(([, one]) => one !== null);
  if (members.length === 0) return undefined;
  const texts = members.map(([key, one]): [string, string] => [
    key,
    typeof one === "object" ? JSON.stringify(one) : String(one),
  ]);
  return Array.isArray(value) ? texts.map(([, text]) => text) : Object.fromEntries(texts);
}

/** `a][b`: a leaf and the keys that lead to it. */
function flattened(value: JsonValue, path: readonly string[] = []): unknown {
  const leaves: [string, string][] = [];
  const walk = (one: JsonValue, at: readonly string[]): void => {
    if (one === null) return;
    if (typeof one !== "object") leaves.push([at.join("]["), String(one)]);
    else for (const [key, inner] of Object.entries(one)) walk(inner as JsonValue, [...at, key]);
  };
  walk(value, path);
  return leaves.length === 0 ? undefined : Object.fromEntries(leaves);
}

function expectedBody(
  { body }: DrawnOperation,
  sent: readonly DrawnArgument[],
  all: readonly DrawnArgument[],
): unknown {
  const whole = sent.find((one) => one.parameter === undefined && one.property === undefined);
  const members = sent.filter((one) => one.property !== undefined);
  const isUnfolded = all.some((one) => one.property !== undefined);
  if (body === undefined) return undefined;
  if (whole === undefined && (!isUnfolded || (members.length === 0 && !body.required)))
    return undefined;
  const value =
    whole?.sample.value ??
    (isUnfolded
      ? Object.fromEntries(members.map((one) => [one.property as string, one.sample.value]))
      : null);
  if (body.mediaType.endsWith("json")) return value;
  const fields = value as JsonObject;
  return Object.fromEntries(
    body.fields.map(({ name, sample, encoding }) => {
      const member = Object.hasOwn(fields, name) ? (fields[name] as JsonValue) : null;
      if (encoding?.style === "deepObject") return [name, flattened(member)];
      const isJson = encoding === undefined && sample.shape === "object" && member !== null;
      return [name, isJson ? member : styled(member)];
    }),
  );
}

test("a complete operation arrives as it was passed, or the call is refused for one of its arguments", async () => {
  const property = fc.asyncProperty(drawnOperation, async (operation) => {
    try {
      await arrives(operation);
    } catch (error) {
      const { texts: _, ...given } = operation;
      const about = JSON.stringify({
        document: createDocument(operation),
        parameters: given.parameters,
        body: given.body,
        host: given.host,
      });
      throw new Error(`${error instanceof Error ? error.message : String(error)}\n${about}`, {
        cause: error,
      });
    }
  });
  expect(
    await catchFailure<[DrawnOperation]>(property, { ...settings, includeErrorInReport: true }),
  ).toBeUndefined();
  console.info(`${arrived} arrived, ${refused} were refused`);
  // Most drawn values are valid in their place.
  expect(arrived).toBeGreaterThan(refused);
}, 600_000);

function documentWith(operation: JsonObject): JsonObject {
  const post = { operationId: "op", responses: {}, ...operation };
  return { openapi: "3.1.1", info: { title: "One", version: "1" }, paths: { "/p": { post } } };
}

test.each(["application/x-www-form-urlencoded", "multipart/form-data"])(
  "a refusal names the argument and not its field: %s",
  async (mediaType) => {
    const list = { type: "array", items: { type: ["string", "null"] } };
    const schema = { type: "object", properties: { "filter[name]": list } };
    const document = documentWith({ requestBody: { content: { [mediaType]: { schema } } } });
    const outcome = await withTool(document, {}, (_tool, run) => run({ filter_name: [null] }));
    if (outcome.status !== "failed") throw new Error(outcome.status);
    expect(outcome.error.message).toMatch(/^"filter_name" contains null in a list/);
  },
);

// Each of the two would need the keys of the other: a server reads both from the same names.
test.fails("two objects that spread the same key over the query are refused together", async () => {
  const schema = { type: "object", properties: { x: { type: "string" } } };
  const parameters = ["a", "b"].map((name) => ({ name, in: "query", schema }));
  const document = documentWith({ parameters });
  const args = { a: { x: "1" }, b: { x: "2" } };
  const outcome = await withTool(document, {}, (_tool, run) => run(args));
  expect(outcome.status).toBe("failed");
});
