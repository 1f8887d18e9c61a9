import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { JsonObject } from "@toolweave/core";
import { describe, expect, test } from "vitest";
import { openDocument, type ApiDocument } from "../../../src/operations/document.ts";
import type { DocumentFetcher } from "../../../src/document/loading/document-files.ts";
import { checkOperations, document, folder, standalone } from "../../support/open-documents.ts";

/** A document whose only parameter has a schema in another file. */
function referring(reference: string, version = "3.0.0"): JsonObject {
  return document(version, {
    "/x": { get: { parameters: [{ name: "q", in: "query", schema: { $ref: reference } }] } },
  });
}

function findProblem(opened: ApiDocument): string | undefined {
  checkOperations(opened);
  return opened.problems[0]?.message;
}

function getSchema(opened: ApiDocument): unknown {
  const parameter = opened.operations[0]?.details().parameters[0];
  return parameter === undefined ? undefined : standalone(parameter.schema);
}

describe("a document of many local files", () => {
  test("path items, operations, parameters, responses and schemas may be in other files", async () => {
    const path = folder({
      "api.yaml": `
openapi: 3.0.0
paths:
  /pets: { $ref: paths/pets.yaml }
  /owners:
    get: { $ref: operations.yaml#/list }
`,
      "paths/pets.yaml": `
get:
  operationId: listPets
  parameters:
    - $ref: ../parameters.json#/limit
  responses:
    200: { $ref: ../responses.yaml#/pets }
`,
      "operations.yaml": "list: { operationId: listOwners, summary: Owners }\n",
      "parameters.json": {
        limit: { name: "limit", in: "query", schema: { $ref: "#/number" } },
        number: { type: "integer" },
      },
      "responses.yaml": `
pets:
  description: Pets
  content:
    application/json:
      schema: { type: array, items: { $ref: models/pet.yaml } }
`,
      "models/pet.yaml": "properties:\n  parent: { $ref: pet.yaml }\n",
    });
    const opened = await openDocument(join(path, "api.yaml"));
    expect(opened.operations.map(({ name, summary }) => [name, summary])).toEqual([
      ["list_pets", undefined],
      ["list_owners", "Owners"],
    ]);
    expect(checkOperations(opened)).toHaveLength(2);
    expect(opened.problems).toEqual([]);
    expect(getSchema(opened)).toEqual({
      $ref: "#/$defs/parameters.number",
      $defs: { "parameters.number": { type: "integer" } },
    });
    const [response] = opened.operations[0]?.details().responses ?? [];
    expect(response?.media.map(({ schema }) => standalone(schema))).toEqual([
      {
        type: "array",
        items: { $ref: "#/$defs/models.pet" },
        $defs: { "models.pet": { properties: { parent: { $ref: "#/$defs/models.pet" } } } },
      },
    ]);
  });

  test("a missing or broken file affects the operations that need it, by name", async () => {
    const path = folder({
      "api.json": document("3.0.0", {
        "/a": { $ref: "gone.yaml" },
        "/b": { $ref: "broken.yaml" },
        "/c": { get: {} },
      }),
      "broken.yaml": "a: [b\n",
    });
    const opened = await openDocument(join(path, "api.json"));
    expect(opened.operations.map(({ path: at }) => at)).toEqual(["/c"]);
    expect(opened.problems).toEqual([
      {
        subject: "/a",
        message: '$ref "gone.yaml" cannot be followed: there is no such file.',
        pointer: "/paths/~1a",
      },
      {
        subject: "/b",
        message: expect.stringMatching(
          /"broken.yaml" cannot be followed: it is not valid YAML: .* line 2/,
        ),
        pointer: "/paths/~1b",
      },
    ]);
  });

  test("the pointer of a problem in another file names the file", async () => {
    const path = folder({
      "api.json": referring("sub/schemas.json#/A"),
      "sub/schemas.json": { A: { properties: { b: { $ref: "#/None" } } } },
    });
    const opened = await openDocument(join(path, "api.json"));
    checkOperations(opened);
    expect(opened.problems[0]?.pointer).toBe("sub/schemas.json#/A/properties/b");
  });
});

describe("a local document may not open", () => {
  const secret = { type: "string", const: "hunter2" };

  test.each([
    ["../secret.json", /outside the document's folder; `allowReferences` with its folder opens it/],
    ["sub/../../secret.json", /outside the document's folder/],
    ["file:///etc/passwd", /outside the document's folder/],
    ["/etc/passwd", /outside the document's folder/],
    ["file://host/share/x.json", /not the URL of a local file/],
    ["%2e%2e/secret.json", /outside the document's folder/],
    ["..%2fsecret.json", /not the URL of a local file/],
    [
      "http://127.0.0.1:1/x.json",
      /web addresses are not opened from here; `allowReferences: \["http:/,
    ],
    ["ftp://example.com/x.json", /scheme "ftp:" is never opened/],
    ["data:application/json,{}", /scheme "data:" is never opened/],
  ])("%s", async (reference, reason) => {
    const path = folder({ "api/api.json": referring(reference), "secret.json": secret });
    const opened = await openDocument(join(path, "api/api.json"));
    const problem = findProblem(opened);
    expect(problem).toMatch(reason);
    expect(problem).not.toContain("hunter2");
  });

  test("a symbolic link that leads out of the folder", async () => {
    const path = folder({ "secret.json": secret });
    mkdirSync(join(path, "api"));
    symlinkSync(join(path, "secret.json"), join(path, "api/link.json"));
    symlinkSync(path, join(path, "api/up"));
    for (const reference of ["link.json", "up/secret.json"]) {
      writeFileSync(join(path, "api/api.json"), JSON.stringify(referring(reference)));
      expect(findProblem(await openDocument(join(path, "api/api.json")))).toMatch(
        /outside the document's folder/,
      );
    }
  });

  test("a document in a folder behind a symbolic link can open its neighbours", async () => {
    const path = folder({
      "real/api.json": referring("neighbour.json"),
      "real/neighbour.json": secret,
    });
    symlinkSync(join(path, "real"), join(path, "link"));
    expect(findProblem(await openDocument(join(path, "link/api.json")))).toBe(undefined);
  });

  test("allowReferences permits a path or a URL, and nothing else", async () => {
    const path = folder({
      "api/api.json": referring("../shared/a.json"),
      "api/other.json": referring("../sharedness/a.json"),
      "shared/a.json": secret,
      "sharedness/a.json": secret,
    });
    for (const entry of [join(path, "shared"), `file://${path}/shared/`]) {
      const allowed = await openDocument(join(path, "api/api.json"), { allowReferences: [entry] });
      expect(getSchema(allowed)).toMatchObject({ $defs: expect.anything() });
      const other = await openDocument(join(path, "api/other.json"), { allowReferences: [entry] });
      expect(findProblem(other)).toMatch(/outside the document's folder/);
    }
  });

  test("a text or a value has no folder to open files from", async () => {
    const relative = referring("a.json");
    for (const input of [relative, JSON.stringify(relative), referring("file:///etc/passwd")]) {
      expect(findProblem(await openDocument(input))).toMatch(
        /the document has no location of its own; pass its path or URL/,
      );
    }
  });
});

/** A fetcher with a table of addresses that records its requests. */
function web(
  pages: Readonly<Record<string, JsonObject | string>>,
): DocumentFetcher & { readonly asked: string[] } {
  const asked: string[] = [];
  const fetcher = async (url: string) => {
    asked.push(url);
    const page = pages[url];
    if (page === undefined) throw new Error("it answered 404.");
    if (typeof page === "string") return { text: JSON.stringify(pages[page]), url: page };
    return { text: JSON.stringify(page), url };
  };
  return Object.assign(fetcher, { asked });
}

describe("a document on the web", () => {
  const at = "https://api.example.com/docs/api.json";

  test("fetches files of its own folder once when they are needed, including references of references", async () => {
    const fetchText = web({
      [at]: referring("models/a.json#/A"),
      "https://api.example.com/docs/models/a.json": { A: { items: { $ref: "b.json" } } },
      "https://api.example.com/docs/models/b.json": { type: "string" },
    });
    const opened = await openDocument(at, { fetchText });
    expect(opened.url).toBe(at);
    expect(fetchText.asked).toHaveLength(3);
    expect(getSchema(opened)).toEqual({
      $ref: "#/$defs/models.a.A",
      $defs: {
        "models.a.A": { items: { $ref: "#/$defs/models.b" } },
        "models.b": { type: "string" },
      },
    });
    expect(fetchText.asked).toHaveLength(3);
  });

  test.each([
    ["file:///etc/passwd", /a document from the web may not open local files/],
    ["../other/a.json", /outside the document's folder; `allowReferences: \["https:/],
    ["https://elsewhere.example.com/docs/a.json", /outside the document's folder/],
    ["http://169.254.169.254/latest", /outside the document's folder/],
    ["https://api.example.com/docs/..%2fa.json", /outside the document's folder/],
    ["https://me@api.example.com/docs/a.json", /carries a user name/],
  ])("%s is not opened", async (reference, reason) => {
    const fetchText = web({ [at]: referring(reference) });
    const opened = await openDocument(at, { fetchText });
    expect(findProblem(opened)).toMatch(reason);
    expect(fetchText.asked).toEqual([at]);
  });

  test("file: is never opened, whatever the host allows", async () => {
    const fetchText = web({ [at]: referring("file:///etc/passwd") });
    const opened = await openDocument(at, { fetchText, allowReferences: ["file:///etc/"] });
    expect(findProblem(opened)).toMatch(/may not open local files/);
  });

  test("no more than 500 files are fetched, and the others affect the operations that need them", async () => {
    const asked: string[] = [];
    const schemas = Object.fromEntries(
      Array.from({ length: 510 }, (_, index) => [`S${index}`, { $ref: `s${index}.json` }]),
    );
    const root = { ...referring("s509.json"), components: { schemas } };
    const opened = await openDocument("https://docs.example/api.json", {
      fetchText: (url) => {
        asked.push(url);
        const text = url.endsWith("api.json") ? JSON.stringify(root) : "{}";
        return Promise.resolve({ text, url });
      },
    });
    expect(asked).toHaveLength(501);
    expect(opened.operations).toHaveLength(1);
  });

  test("a redirect out of the folder is refused, and a failure affects its operation", async () => {
    const fetchText = web({
      [at]: document("3.0.0", {
        "/a": { $ref: "moved.json" },
        "/b": { $ref: "gone.json" },
        "/c": { get: {} },
      }),
      "https://api.example.com/docs/moved.json": "https://elsewhere.example.com/a.json",
      "https://elsewhere.example.com/a.json": {},
    });
    const opened = await openDocument(at, { fetchText });
    expect(opened.operations.map(({ path }) => path)).toEqual(["/c"]);
    expect(opened.problems.map(({ message }) => message)).toEqual([
      expect.stringMatching(/it redirects to a URL that may not be opened/),
      expect.stringMatching(/fetching it failed: it answered 404\.$/),
    ]);
  });

  test("other origins can be opened with allowReferences, also from a local document", async () => {
    const shared = "https://schemas.example.com/v1/a.json";
    const pages = { [at]: referring(shared), [shared]: { type: "integer" } };
    const allowReferences = ["https://schemas.example.com/v1/"];
    const remote = await openDocument(at, { fetchText: web(pages), allowReferences });
    expect(getSchema(remote)).toMatchObject({ $defs: expect.anything() });
    const path = folder({
      "api.json": { ...referring("part.json#/A") },
      "part.json": { A: { $ref: shared } },
    });
    const local = await openDocument(join(path, "api.json"), {
      fetchText: web(pages),
      allowReferences,
    });
    expect(findProblem(local)).toBe(undefined);
  });

  test("nothing is fetched for references in examples and extensions", async () => {
    const fetchText = web({
      [at]: {
        ...referring("#/x-schemas/A"),
        "x-schemas": {
          A: { type: "string", example: { $ref: "a.json" }, "x-y": { $ref: "b.json" } },
        },
      },
    });
    const opened = await openDocument(at, { fetchText });
    expect(findProblem(opened)).toBe(undefined);
    expect(fetchText.asked).toEqual([at]);
  });

  test("a secret in an address is not reported", async () => {
    const address = `${at}?token=hunter2`;
    const fetchText = web({
      [address]: referring("https://elsewhere.example.com/a.json?key=hunter3"),
    });
    const opened = await openDocument(address, { fetchText });
    expect(findProblem(opened)).toMatch(/\$ref "https:\/\/elsewhere.example.com\/a.json"/);
    expect(JSON.stringify(opened.problems)).not.toMatch(/hunter/);
  });
});

describe("$self of OpenAPI 3.2", () => {
  test("can be used in references to the document itself, wherever it was found", async () => {
    const self = "https://example.com/api/openapi.json";
    const path = folder({
      "api.json": {
        ...referring(`${self}#/components/schemas/A`, "3.2.0"),
        $self: self,
        components: { schemas: { A: { $ref: "part.json" } } },
      },
      "part.json": { type: "string" },
    });
    expect(getSchema(await openDocument(join(path, "api.json")))).toMatchObject({
      $ref: "#/$defs/A",
      $defs: { A: { $ref: "#/$defs/part" }, part: { type: "string" } },
    });
  });
});
