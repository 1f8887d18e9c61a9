import { ToolExecutor, ToolRegistry, type JsonObject } from "@toolweave/core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openApiSource, type OpenApiOptions, type OperationOverride } from "../../src/index.ts";
import { RecordingServer } from "@toolweave/test-support/recording-server";
import { call, openSource, findTool } from "../support/call-tool.ts";

const responses = { 200: { description: "ok" } };
const parameter = (name: string, place: string, type: string, required = false): JsonObject => ({
  name,
  in: place,
  required,
  schema: { type },
});
const pet: JsonObject = {
  put: {
    operationId: "putPet",
    summary: "Puts a pet.",
    parameters: [
      parameter("id", "path", "string", true),
      parameter("dry_run", "query", "boolean"),
      parameter("page", "query", "integer"),
    ],
    requestBody: {
      required: true,
      content: {
        "application/json": {
          schema: {
            type: "object",
            required: ["owner"],
            properties: { owner: { type: "string" }, name: { type: "string" } },
          },
        },
      },
    },
    responses,
  },
};
const paths: JsonObject = {
  "/pets/{id}": pet,
  "/other": { get: { operationId: "other", responses } },
};

let server: RecordingServer;

beforeAll(async () => {
  server = await RecordingServer.start();
});
afterAll(() => server.close());

describe("an override", () => {
  test("sets the name and the annotations of a tool, in place of the document", async () => {
    await using source = await openSource(paths, {
      prefix: "my",
      overrides: {
        putPet: { name: "save_pet", title: "Save", timeoutMs: 5 },
        "PUT /pets/{id}": { description: "**Saves** it.", annotations: { destructiveHint: false } },
      },
    });
    expect(source.problems).toEqual([]);
    expect(findTool(source, "my__save_pet").spec).toMatchObject({
      title: "Save",
      description: "**Saves** it.",
      timeoutMs: 5,
      annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true },
      provenance: { origin: { operationId: "putPet" } },
    });
  });

  test("hides arguments and sends fixed ones, whatever was passed", async () => {
    await using source = await openSource(paths, {
      baseUrl: server.origin,
      overrides: { putPet: { hidden: ["page"], fixed: { dry_run: true, owner: "me" } } },
    });
    const tool = findTool(source, "put_pet");
    for (const schema of [tool.spec.inputSchema, tool.argumentsSchema]) {
      expect(schema).toMatchObject({ required: ["id"] });
      expect(Object.keys(schema?.["properties"] as object)).toEqual(["id", "name"]);
    }
    await call(tool, { id: "7", name: "Rex", page: 3, owner: "you" });
    const { path, query, body } = server.last;
    expect(`${path}?${query}`).toBe("/pets/7?dry_run=true");
    expect(JSON.parse(body.toString())).toEqual({ owner: "me", name: "Rex" });
  });

  test("that the model tries to avoid is refused", async () => {
    const registry = new ToolRegistry([
      openApiSource.fromDocument(
        { openapi: "3.1.0", info: { title: "Test", version: "1" }, paths },
        { baseUrl: server.origin, overrides: { putPet: { fixed: { owner: "me" } } } },
      ),
    ]);
    await registry.ready;
    const executor = new ToolExecutor({ registry, policy: "autonomous" });
    const outcome = await executor.execute({
      id: "1",
      name: "put_pet",
      arguments: { id: "7", owner: "you" },
    });
    expect(outcome).toMatchObject({ status: "failed", error: { code: "invalid_arguments" } });
    await registry.close();
  });

  test("with a value that does not match disables the tool, and does not reveal the value", async () => {
    await using source = await openSource(paths, {
      overrides: { putPet: { fixed: { page: "s3cret" } } },
    });
    expect(source.tools().map(({ spec }) => spec.name)).toEqual(["other"]);
    expect(source.problems).toEqual([
      {
        subject: "PUT /pets/{id}",
        message: "overrides fixes page, which must be integer.",
        pointer: "/paths/~1pets~1{id}/put",
      },
    ]);
  });

  test("that hides a required argument disables the tool", async () => {
    await using source = await openSource(paths, { overrides: { putPet: { hidden: ["owner"] } } });
    source.realize();
    expect(source.tools()).toHaveLength(1);
    expect(source.problems[0]?.message).toMatch(/owner, which is required: give it a value/);
  });

  test("of an unknown name is a warning, with a suggestion", async () => {
    await using source = await openSource(paths, {
      overrides: { putPets: { title: "x" }, putPet: { hidden: ["pages"] } },
    });
    source.realize();
    expect(source.problems.filter(({ message }) => message.startsWith("overrides"))).toEqual([
      expect.objectContaining({
        severity: "warning",
        message: 'overrides["putPets"] matches no operation. Did you mean "putPet"?',
      }),
      expect.objectContaining({
        severity: "warning",
        message:
          "overrides hides or fixes pages, which is not an argument of the operation. Did you mean page?",
      }),
    ]);
  });

  test("with an undeclared media type disables the tool", async () => {
    await using source = await openSource(paths, {
      overrides: { putPet: { requestMediaType: "application/merge-patch+json" } },
    });
    source.realize();
    expect(source.tools()).toHaveLength(1);
    expect(source.problems[0]?.message).toBe(
      "overrides sets requestMediaType to application/merge-patch+json, which the document does not declare: it has application/json.",
    );
  });

  test("for the body of an operation without one is a warning", async () => {
    await using source = await openSource(paths, {
      overrides: {
        other: { requestMediaType: "application/json" },
        putPet: { decodeBase64Body: true },
      },
    });
    source.realize();
    expect(source.tools()).toHaveLength(2);
    const said = source.problems.filter(({ severity }) => severity === "warning");
    expect(said.map(({ message }) => message)).toEqual(
      expect.arrayContaining([
        "overrides sets a requestMediaType, but the operation has no body.",
        "overrides sets decodeBase64Body, but the whole body is not base64.",
      ]),
    );
  });

  test("has its name exclusively: an operation of the document with that name is not a tool", async () => {
    await using source = await openSource(paths, { overrides: { putPet: { name: "other" } } });
    expect(source.tools().map(({ spec }) => spec.provenance.origin?.["method"])).toEqual(["PUT"]);
    expect(source.problems).toMatchObject([{ subject: "GET /other" }]);
  });

  test.each<[Record<string, OperationOverride>, RegExp]>([
    [{ a: { name: "no name" } }, /"no name" cannot be a tool's name/],
    [{ a: { name: "x" }, b: { name: "x" } }, /another operation has the name x/],
    [{ a: { fixed: [] as never } }, /fixed must be an object/],
    [{ a: { timeoutMs: -1 } }, /timeoutMs is -1/],
    [{ a: { requestMediaType: "image/*" } }, /requestMediaType must be a media type/],
    [{ a: { decodeBase64Body: 1 as never } }, /decodeBase64Body must be true or false/],
    [{ a: { idempotencyKey: "host" as never } }, /idempotencyKey must be "executor" or "model"/],
    [{ a: { names: "x" } as OperationOverride }, /unknown option "names". Did you mean name/],
  ])("that is invalid is refused: %j", (overrides, message) => {
    const options: OpenApiOptions = { overrides };
    expect(() => openApiSource.fromDocument({}, options)).toThrow(message);
  });
});

describe("x-toolweave in a document", () => {
  const withSaid = (said: unknown, method = "get"): JsonObject => ({
    "/a": { [method]: { operationId: "a", "x-toolweave": said, responses } } as JsonObject,
    "/b": { get: { operationId: "b", responses } },
  });

  test("names, describes and hides its operation", async () => {
    await using named = await openSource(withSaid({ name: "c", description: "Does a." }));
    expect(findTool(named, "c").spec.description).toBe("Does a.");
    await using hidden = await openSource(withSaid({ hidden: true }));
    expect(hidden.tools().map(({ spec }) => spec.name)).toEqual(["b"]);
  });

  test("can require more care, and not less", async () => {
    await using careful = await openSource(withSaid({ annotations: { destructiveHint: true } }));
    expect(findTool(careful, "a").spec.annotations).toMatchObject({
      readOnlyHint: false,
      destructiveHint: true,
    });
    await using careless = await openSource(
      withSaid({ annotations: { readOnlyHint: true, access: {} } }, "delete"),
    );
    expect(findTool(careless, "a").spec.annotations).toMatchObject({
      readOnlyHint: false,
      destructiveHint: true,
      access: { network: true },
    });
    expect(careless.problems.map(({ message }) => message)).toEqual([
      expect.stringContaining("readOnlyHint to a value that only the host can set") as string,
      expect.stringContaining("access to a value that only the host can set") as string,
    ]);
  });

  test("cannot take another operation's name", async () => {
    await using source = await openSource(withSaid({ name: "b" }));
    expect(source.tools().map(({ spec }) => spec.name)).toEqual(["a", "b"]);
    expect(source.problems[0]?.message).toMatch(/a name that another operation has/);
  });

  test("has lower precedence than the host", async () => {
    await using source = await openSource(
      withSaid({ name: "c", annotations: { readOnlyHint: false } }),
      {
        overrides: { a: { name: "d", annotations: { readOnlyHint: true } } },
      },
    );
    expect(findTool(source, "d").spec.annotations.readOnlyHint).toBe(true);
  });
});

describe("a read-only property that the host declares writable", () => {
  const schema = {
    type: "object",
    required: ["id", "name"],
    properties: { id: { type: "string", readOnly: true }, name: { type: "string" } },
  };
  const paths = {
    "/x": {
      post: {
        operationId: "x",
        requestBody: { required: true, content: { "application/json": { schema } } },
        responses: {},
      },
    },
  };
  const document = { openapi: "3.0.3", info: { title: "Test", version: "1" }, paths };

  test("is an argument, and stays required", async () => {
    const source = openApiSource.fromDocument(document, { overrides: { x: { writable: ["id"] } } });
    await source.ready;
    expect(findTool(source, "x").spec.inputSchema).toMatchObject({
      properties: { id: { type: "string" }, name: {} },
      required: ["id", "name"],
    });
  });

  test("is reported in problems if there is none of that name", async () => {
    const source = openApiSource.fromDocument(document, {
      overrides: { x: { writable: ["key"] } },
    });
    await source.ready;
    source.realize();
    expect(source.problems.map(({ message }) => message)).toContainEqual(
      expect.stringContaining("overrides sets key as writable, which has no effect"),
    );
  });
});
