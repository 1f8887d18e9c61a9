import { join } from "node:path";
import type { JsonObject } from "@toolweave/core";
import { describe, expect, test } from "vitest";
import { openDocument, type ApiDocument } from "../../src/operations/document.ts";
import { checkOperations, document, folder, standalone } from "../support/open-documents.ts";
import { compileAlone } from "../support/compile-alone.ts";

type Files = Readonly<Record<string, JsonObject>>;

const at = "https://api.example.com/v1/openapi.json";
const options = { strict: false };

/** An API whose `/first` has a body of this schema; `/last` opens the other files. */
function api(version: string, schema: JsonObject, others: JsonObject[], more: JsonObject = {}) {
  const post = (body: JsonObject): JsonObject => ({
    post: version.startsWith("2")
      ? { parameters: [{ name: "body", in: "body", required: true, schema: body }] }
      : { requestBody: { required: true, content: { "application/json": { schema: body } } } },
  });
  const paths = {
    "/first": post(schema),
    "/last": post({ type: "array", items: { allOf: others } }),
  };
  return document(version, paths, more);
}

function getSchema(opened: ApiDocument): unknown {
  const first = opened.operations.find(({ path }) => path === "/first");
  const [media] = first?.details().body?.media ?? [];
  return media === undefined ? undefined : standalone(media.schema);
}

const animal = (kind: string, property: string): JsonObject => ({
  type: "object",
  required: ["kind", property],
  properties: { kind: { type: "string" }, [property]: { type: "integer" } },
  title: kind,
});
const child = (parent: string, property: string): JsonObject => ({
  allOf: [
    { $ref: parent },
    { type: "object", required: [property], properties: { [property]: { type: "integer" } } },
  ],
});
const base: JsonObject = {
  type: "object",
  required: ["kind"],
  properties: { kind: { type: "string" } },
};
const choice = {
  "models/dog.json": animal("dog", "bark"),
  "models/cat.json": animal("cat", "lives"),
};
const branches = [{ $ref: "./dog.json" }, { $ref: "./cat.json" }];
const inFiles = [{ $ref: "models/dog.json" }, { $ref: "models/cat.json" }];

const cases: readonly (readonly [is: string, files: Files])[] = [
  [
    "a mapping to the files of the branches",
    {
      "openapi.json": api("3.1.0", { $ref: "models/pet.json" }, inFiles),
      "models/pet.json": {
        oneOf: branches,
        discriminator: {
          propertyName: "kind",
          mapping: { canine: "./dog.json", feline: "./cat.json" },
        },
      },
      ...choice,
    },
  ],
  [
    "a mapping that writes the files in another way",
    {
      "openapi.json": api("3.0.3", { $ref: "models/pet.json" }, inFiles),
      "models/pet.json": {
        anyOf: branches,
        discriminator: {
          propertyName: "kind",
          mapping: { canine: "../models/dog.json", feline: "cat.json#" },
        },
      },
      ...choice,
    },
  ],
  [
    "a mapping to components that are aliases of the files of the branches",
    {
      "openapi.json": api("3.1.0", { $ref: "models/pet.json" }, inFiles, {
        components: {
          schemas: { Dog: { $ref: "models/dog.json" }, Cat: { $ref: "models/cat.json" } },
        },
      }),
      "models/pet.json": {
        oneOf: branches,
        discriminator: {
          propertyName: "kind",
          mapping: { canine: "Dog", feline: "../openapi.json#/components/schemas/Cat" },
        },
      },
      ...choice,
    },
  ],
  [
    "a mapping to files, with branches that are components",
    {
      "openapi.json": api(
        "3.2.0",
        {
          oneOf: [{ $ref: "#/components/schemas/Dog" }, { $ref: "#/components/schemas/Cat" }],
          discriminator: {
            propertyName: "kind",
            mapping: { canine: "models/dog.json", feline: "models/cat.json" },
          },
        },
        inFiles,
        {
          components: {
            schemas: { Dog: { $ref: "models/dog.json" }, Cat: { $ref: "models/cat.json" } },
          },
        },
      ),
      ...choice,
    },
  ],
  [
    "a mapping to an $id",
    {
      "openapi.json": api(
        "3.1.0",
        {
          oneOf: [{ $ref: "#/components/schemas/Dog" }, { $ref: "#/components/schemas/Cat" }],
          discriminator: {
            propertyName: "kind",
            mapping: { canine: "urn:example:dog", feline: "./feline" },
          },
        },
        [],
        {
          components: {
            schemas: {
              Dog: { $id: "urn:example:dog", ...animal("dog", "bark") },
              Cat: { $id: "feline", ...animal("cat", "lives") },
            },
          },
        },
      ),
    },
  ],
  [
    "the names of components in another file",
    {
      "openapi.json": api("3.1.0", { $ref: "models.json#/components/schemas/Pet" }, []),
      "models.json": {
        components: {
          schemas: {
            Pet: {
              oneOf: [
                { $ref: "#/components/schemas/canine" },
                { $ref: "#/components/schemas/feline" },
              ],
              discriminator: { propertyName: "kind" },
            },
            canine: animal("dog", "bark"),
            feline: animal("cat", "lives"),
          },
        },
      },
    },
  ],
  [
    "the children of a parent, which only its mapping names",
    {
      "openapi.json": api("3.0.3", { $ref: "models/pet.json" }, inFiles),
      "models/pet.json": {
        ...base,
        discriminator: {
          propertyName: "kind",
          mapping: { canine: "./dog.json", feline: "./cat.json" },
        },
      },
      "models/dog.json": child("./pet.json", "bark"),
      "models/cat.json": child("pet.json", "lives"),
    },
  ],
  [
    "the children of a parent, which are components in files",
    {
      "openapi.json": api("3.1.0", { $ref: "#/components/schemas/Pet" }, inFiles, {
        components: {
          schemas: {
            Pet: { $ref: "models/pet.json" },
            canine: { $ref: "models/dog.json" },
            feline: { $ref: "models/cat.json" },
          },
        },
      }),
      "models/pet.json": { ...base, discriminator: { propertyName: "kind" } },
      "models/dog.json": child("./pet.json", "bark"),
      "models/cat.json": child("../openapi.json#/components/schemas/Pet", "lives"),
    },
  ],
  [
    "the children of a parent of Swagger 2.0, which are definitions in files",
    {
      "openapi.json": api("2.0", { $ref: "models/pet.json" }, inFiles, {
        definitions: {
          canine: { $ref: "models/dog.json" },
          feline: { $ref: "models/cat.json" },
        },
      }),
      "models/pet.json": { ...base, discriminator: "kind" },
      "models/dog.json": child("./pet.json", "bark"),
      "models/cat.json": child("pet.json", "lives"),
    },
  ],
];

describe.each(cases)("%s", (_is, files) => {
  test("are honoured in files and on the web, whatever was opened before", async () => {
    const path = join(folder(files), "openapi.json");
    const schema = getSchema(await openDocument(path));
    const accepts = compileAlone(schema as object, options);
    expect(accepts({ kind: "canine", bark: 1 })).toBe(true);
    expect(accepts({ kind: "feline", lives: 9 })).toBe(true);
    expect(accepts({ kind: "canine", lives: 9 })).toBe(false);
    expect(accepts({ kind: "feline", bark: 1 })).toBe(false);

    const later = await openDocument(path);
    later.operations.find((operation) => operation.path === "/last")?.details();
    checkOperations(later);
    expect(getSchema(later)).toEqual(schema);

    const pages = new Map(
      Object.entries(files).map(([name, page]) => [new URL(name, at).href, page]),
    );
    const requested: string[] = [];
    const fetchText = (url: string) => {
      requested.push(url);
      return Promise.resolve({ text: JSON.stringify(pages.get(url)), url });
    };
    expect(getSchema(await openDocument(at, { fetchText }))).toEqual(schema);
    expect(requested.toSorted()).toEqual([...pages.keys()].toSorted());
  });
});

test("two names of one schema keep their own values", async () => {
  const opened = await openDocument(
    api(
      "3.0.3",
      {
        oneOf: [{ $ref: "#/components/schemas/A" }, { $ref: "#/components/schemas/B" }],
        discriminator: { propertyName: "kind", mapping: { a: "A", b: "B" } },
      },
      [],
      {
        components: {
          schemas: {
            A: { $ref: "#/components/schemas/Base" },
            B: { $ref: "#/components/schemas/Base" },
            Base: base,
          },
        },
      },
    ),
  );
  const accepts = compileAlone(getSchema(opened) as object, options);
  expect(accepts({ kind: "a" })).toBe(true);
  expect(accepts({ kind: "b" })).toBe(true);
  expect(accepts({ kind: "c" })).toBe(false);
});
