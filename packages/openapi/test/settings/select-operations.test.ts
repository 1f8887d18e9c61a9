import type { JsonObject } from "@toolweave/core";
import { describe, expect, test } from "vitest";
import { openApiSource, type OpenApiOptions } from "../../src/index.ts";
import { openSource } from "../support/call-tool.ts";

const responses = { 200: { description: "ok" } };
const paths: JsonObject = {
  "/pets": {
    get: { operationId: "listPets", tags: ["pets"], responses },
    post: { operationId: "createPet", tags: ["pets", "writing"], responses },
  },
  "/pets/{id}": {
    "x-internal": true,
    parameters: [{ name: "id", in: "path", required: true, schema: { type: "string" } }],
    get: { operationId: "getPet", tags: ["pets"], "x-internal": false, responses },
    delete: { operationId: "deletePet", tags: ["writing"], responses },
  },
  "/health": { get: { responses } },
};

async function namesWith(options: OpenApiOptions): Promise<string[]> {
  await using source = await openSource(paths, options);
  expect(source.problems).toEqual([]);
  return source.tools().map(({ spec }) => spec.name);
}

describe("include and exclude", () => {
  test("take a method of the document in its letter case", async () => {
    const additionalOperations = { COPY: { operationId: "one" }, copy: { operationId: "two" } };
    const item = { get: { operationId: "three" }, additionalOperations };
    const select = async (methods: readonly string[]): Promise<string[]> => {
      const api = { openapi: "3.2.0", info: { title: "T", version: "1" }, paths: { "/x": item } };
      await using source = openApiSource(api, { include: [{ methods }], baseUrl: "https://h" });
      await source.ready;
      return source.tools().map(({ spec }) => spec.name);
    };
    expect(await select(["copy"])).toEqual(["two"]);
    expect(await select(["COPY", "Get"])).toEqual(["three", "one"]);
  });

  test.each<[string, OpenApiOptions, readonly string[]]>([
    ["a tag", { include: [{ tags: ["pets"] }] }, ["list_pets", "create_pet", "get_pet"]],
    ["a path", { include: [{ paths: ["/pets/*"] }] }, ["get_pet", "delete_pet"]],
    ["a method", { exclude: [{ methods: ["get"] }] }, ["create_pet", "delete_pet"]],
    [
      "an operationId",
      { include: [{ operationIds: ["*Pet"] }] },
      ["create_pet", "get_pet", "delete_pet"],
    ],
    [
      "an extension of the operation or its path",
      { include: [{ extensions: ["x-internal"] }] },
      ["delete_pet"],
    ],
    [
      "all conditions of an entry",
      { include: [{ tags: ["pets"], methods: ["GET"] }] },
      ["list_pets", "get_pet"],
    ],
    [
      "one of the entries",
      { include: [{ tags: ["writing"] }, { paths: ["/health"] }] },
      ["create_pet", "delete_pet", "get_health"],
    ],
    [
      "both, and a function",
      {
        include: [{ tags: ["pets"] }],
        exclude: [{ tags: ["writing"] }],
        filter: (operation) => operation.extension("x-internal") === false,
      },
      ["get_pet"],
    ],
  ])("apply to %s", async (_, options, names) => {
    expect(await namesWith(options)).toEqual(names);
  });

  test("cause a warning if they match nothing", async () => {
    await using source = await openSource(paths, {
      id: "api",
      exclude: [{ tags: ["pets"] }, { tags: ["pest"] }],
    });
    expect(source.problems).toEqual([
      {
        subject: "api",
        message: 'exclude[1].tags "pest" matches no operation: did you mean pets?',
        severity: "warning",
      },
    ]);
  });

  test("cause a warning for each value that matches nothing, and the others apply", async () => {
    await using source = await openSource(paths, {
      include: [
        { operationIds: ["listPets", "getPats"] },
        { paths: ["/healt", "/health"] },
        { tags: ["pets"], methods: ["delete"] },
      ],
    });
    expect(source.tools().map(({ spec }) => spec.name)).toEqual(["list_pets", "get_health"]);
    expect(source.problems.map(({ message }) => message)).toEqual([
      'include[0].operationIds "getPats" matches no operation: did you mean getPet?',
      'include[1].paths "/healt" matches no operation: did you mean /health?',
      "include[2] matches no operation of the document: check the spelling of its tags, paths, methods, operationIds and extensions, and whether one operation fits all of them.",
    ]);
  });

  test.each<[OpenApiOptions, RegExp]>([
    [{ include: { tags: ["a"] } as never }, /include must be a list/],
    [
      { include: [{ tag: ["a"] } as never] },
      /include\[0\]: unknown option "tag". Did you mean tags/,
    ],
    [{ exclude: [{ paths: "/a" as never }] }, /exclude\[0\]\.paths must be a list/],
    [{ exclude: [{ extensions: ["internal"] }] }, /x-internal\?/],
  ])("that are invalid are refused: %j", (options, message) => {
    expect(() => openApiSource.fromDocument({}, options)).toThrow(message);
  });
});
