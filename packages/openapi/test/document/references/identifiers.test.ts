import { join } from "node:path";
import type { JsonObject } from "@toolweave/core";
import { describe, expect, test } from "vitest";
import { openDocument, type ApiDocument } from "../../../src/operations/document.ts";
import {
  checkOperations,
  document,
  folder,
  getFailure,
  standalone,
} from "../../support/open-documents.ts";

/** A document with one operation. */
interface Case {
  readonly is: string;
  readonly version?: string;
  readonly body: JsonObject;
  readonly more?: JsonObject;
  /** A file of this name is wrong: an identifier leads to a schema of the document. */
  readonly decoys?: readonly string[];
  /** A part of the schema of the body. */
  readonly gives?: JsonObject;
}

const numbers = { type: "array", items: { type: "number" } };
const at = "https://api.example.com/v1/openapi.json";
const inComponents = (schemas: JsonObject): JsonObject => ({ components: { schemas } });

const cases: readonly Case[] = [
  {
    is: "a relative $id of a component",
    body: { $ref: "#/components/schemas/S" },
    more: inComponents({ A: { $id: "aa", ...numbers }, S: { $ref: "aa" } }),
    decoys: ["aa"],
    gives: numbers,
  },
  {
    is: "a relative $id that is written in another way than its reference",
    body: { $ref: "schemas/../aa" },
    more: inComponents({ A: { $id: "./aa", ...numbers } }),
    decoys: ["aa"],
    gives: numbers,
  },
  {
    is: "an $id with the path of an operation",
    body: { $ref: "/x" },
    more: inComponents({ A: { $id: "/x", ...numbers } }),
    gives: numbers,
  },
  {
    is: "an absolute $id at the document's own server",
    body: { $ref: "https://api.example.com/v1/aa#" },
    more: inComponents({ A: { $id: "https://api.example.com/v1/aa", ...numbers } }),
    gives: numbers,
  },
  {
    is: "an absolute $id with an empty fragment",
    body: { $ref: "https://schemas.example/aa" },
    more: inComponents({ A: { $id: "https://schemas.example/aa#", ...numbers } }),
    gives: numbers,
  },
  {
    is: "a urn",
    body: { $ref: "urn:example:aa" },
    more: inComponents({ A: { $id: "urn:example:aa", ...numbers } }),
    gives: numbers,
  },
  {
    is: "an anchor of a schema with an $id",
    body: { $ref: "aa#list" },
    more: inComponents({ A: { $id: "aa", $defs: { L: { $anchor: "list", ...numbers } } } }),
    decoys: ["aa"],
    gives: numbers,
  },
  {
    is: "a pointer into a schema with an $id",
    body: { $ref: "aa#/$defs/a%20list" },
    more: inComponents({ A: { $id: "aa", $defs: { "a list": numbers } } }),
    decoys: ["aa"],
    gives: numbers,
  },
  {
    is: "a reference inside a schema whose $id names another server",
    body: { $ref: "#/components/schemas/S" },
    more: inComponents({
      S: { $id: "https://schemas.example/ss", allOf: [{ $ref: "aa" }] },
      A: { $id: "https://schemas.example/aa", ...numbers },
    }),
    decoys: ["aa"],
    gives: numbers,
  },
  {
    is: "nested bases",
    body: { $ref: "deep/er/aa" },
    more: inComponents({
      S: { $id: "deep/s", $defs: { T: { $id: "er/t", $defs: { A: { $id: "aa", ...numbers } } } } },
    }),
    decoys: ["aa", "deep/er/aa"],
    gives: numbers,
  },
  {
    is: "an $id in $defs of the body itself",
    body: { $ref: "aa", $defs: { A: { $id: "aa", ...numbers } } },
    decoys: ["aa"],
    gives: numbers,
  },
  {
    is: "an $id in a response",
    body: { $ref: "aa" },
    more: {
      components: {
        responses: {
          R: {
            description: "",
            content: { "application/json": { schema: { $id: "aa", ...numbers } } },
          },
        },
      },
    },
    decoys: ["aa"],
    gives: numbers,
  },
  {
    is: "a generic list whose parameter is bound by a dynamic anchor",
    body: { $ref: "number_list" },
    more: inComponents({
      List: {
        $id: "list",
        type: "array",
        items: { $dynamicRef: "#item" },
        $defs: { any: { $dynamicAnchor: "item" } },
      },
      Numbers: {
        $id: "number_list",
        $defs: { item: { $dynamicAnchor: "item", type: "number" } },
        $ref: "list",
      },
    }),
    decoys: ["list", "number_list"],
    gives: { type: "array" },
  },
  {
    is: "$self, relative",
    version: "3.2.0",
    body: { $ref: "/api/self.json#/components/schemas/A" },
    more: { $self: "/api/self.json", ...inComponents({ A: numbers }) },
    gives: numbers,
  },
  {
    is: "the last part of $self",
    version: "3.2.0",
    body: { $ref: "self.json#/components/schemas/A" },
    more: { $self: "https://other.example/api/self.json", ...inComponents({ A: numbers }) },
    decoys: ["self.json"],
    gives: numbers,
  },
  {
    is: "an $id relative to $self",
    version: "3.2.0",
    body: { $ref: "https://other.example/api/aa" },
    more: {
      $self: "https://other.example/api/self.json",
      ...inComponents({ A: { $id: "aa", ...numbers } }),
    },
    decoys: ["aa"],
    gives: numbers,
  },
];

/** A web that has these pages, and the addresses that were requested. */
function web(pages: Readonly<Record<string, unknown>>) {
  const requested: string[] = [];
  const fetchText = (url: string) => {
    requested.push(url);
    const page = pages[url];
    return page === undefined
      ? Promise.reject(new Error("it answered 404."))
      : Promise.resolve({ text: JSON.stringify(page), url });
  };
  return { fetchText, requested };
}

function toApi({ version = "3.1.0", body, more = {} }: Case): JsonObject {
  const content = { "application/json": { schema: body } };
  return document(version, { "/x": { post: { requestBody: { required: true, content } } } }, more);
}

function readBody(opened: ApiDocument): unknown {
  checkOperations(opened);
  expect(opened.problems).toEqual([]);
  const [media] = opened.operations[0]?.details().body?.media ?? [];
  return media === undefined ? undefined : standalone(media.schema);
}

describe.each(cases)("$is", (one) => {
  const api = toApi(one);
  const { decoys = [], gives = {} } = one;
  const wrong = Object.fromEntries(decoys.map((name) => [name, { type: "string" }]));

  test("is found in a text, an object, a file and at a URL alike, and is never requested", async () => {
    const path = join(folder({ "openapi.json": api, ...wrong }), "openapi.json");
    const pages = web({
      [at]: api,
      "https://api.example.com/v1/x": {},
      ...Object.fromEntries(
        decoys.map((name) => [new URL(name, at).href, { error: "there is no such page" }]),
      ),
    });
    const schema = readBody(await openDocument(JSON.stringify(api)));
    expect(JSON.stringify(schema)).toContain(JSON.stringify(gives).slice(1, -1));
    expect(readBody(await openDocument(api))).toEqual(schema);
    expect(readBody(await openDocument(path))).toEqual(schema);
    expect(readBody(await openDocument(at, pages))).toEqual(schema);
    expect(pages.requested).toEqual([at]);
  });
});

describe("a document of several files", () => {
  const files = {
    "openapi.json": document(
      "3.1.0",
      {
        "/a": { $ref: "paths/a.json" },
        "/b": { post: { requestBody: { $ref: "shared.json#/body" } } },
      },
      {},
    ),
    "paths/a.json": {
      post: {
        requestBody: { content: { "application/json": { schema: { $ref: "../list" } } } },
      },
    },
    "shared.json": {
      body: { content: { "application/json": { schema: { $id: "list", ...numbers } } } },
    },
  };

  function schemas(opened: ApiDocument, order: (paths: string[]) => string[]): unknown[] {
    const all = new Map(opened.operations.map((operation) => [operation.path, operation]));
    const read = order([...all.keys()]).map((path): [string, unknown] => {
      const [media] = all.get(path)?.details().body?.media ?? [];
      return [path, media?.schema.schema];
    });
    expect(opened.problems).toEqual([]);
    return read.toSorted(([a], [b]) => (a < b ? -1 : 1));
  }

  test("gives the same schemas in any order of reading, and requests only files", async () => {
    const path = join(folder(files), "openapi.json");
    const pages = web(
      Object.fromEntries(
        Object.entries(files).map(([name, page]) => [new URL(name, at).href, page]),
      ),
    );
    const first = schemas(await openDocument(path), (paths) => paths);
    expect(first).toEqual([
      ["/a", expect.objectContaining({})],
      ["/b", numbers],
    ]);
    expect(schemas(await openDocument(path), (paths) => paths.toReversed())).toEqual(first);
    expect(schemas(await openDocument(at, pages), (paths) => paths)).toEqual(first);
    expect(pages.requested).toEqual(Object.keys(files).map((name) => new URL(name, at).href));
  });

  test("may refer to files by the base of a schema, or from the place of the file", async () => {
    const api = toApi({
      is: "",
      body: { $id: "https://schemas.example/v1/body", allOf: [{ $ref: "list.json" }] },
    });
    const list = { $id: "https://schemas.example/v1/list.json", ...numbers };
    const path = join(folder({ "openapi.json": api, "list.json": list }), "openapi.json");
    expect(JSON.stringify(readBody(await openDocument(path)))).toContain('"number"');
    const pages = web({ [at]: api, "https://api.example.com/v1/list.json": list });
    expect(JSON.stringify(readBody(await openDocument(at, pages)))).toContain('"number"');
    const elsewhere = web({ [at]: api, "https://schemas.example/v1/list.json": list });
    const allowReferences = ["https://schemas.example/v1/"];
    const opened = await openDocument(at, { ...elsewhere, allowReferences });
    expect(JSON.stringify(readBody(opened))).toContain('"number"');
    expect(elsewhere.requested).toEqual([at, "https://schemas.example/v1/list.json"]);
  });

  test("finds a file by the $id of its root", async () => {
    const api = toApi({
      is: "",
      body: { allOf: [{ $ref: "a.json" }, { $ref: "https://schemas.example/b" }] },
      more: inComponents({ B: { $ref: "b.json" } }),
    });
    const b = { $id: "https://schemas.example/b", ...numbers };
    const path = join(
      folder({ "openapi.json": api, "a.json": { type: "array" }, "b.json": b }),
      "openapi.json",
    );
    expect(JSON.stringify(readBody(await openDocument(path)))).toContain('"number"');
  });
});

test("a file that a text refers to is missing because the text has no location: the host is to pass it", async () => {
  const opened = await openDocument(
    JSON.stringify(toApi({ is: "", body: { $ref: "./list.json" } })),
  );
  expect(getFailure(opened.operations[0]).message).toBe(
    '$ref "./list.json" cannot be followed: the document has no location of its own; pass its path or URL',
  );
});
