import { ToolError } from "@toolweave/core";
import { describe, expect, test } from "vitest";
import { openDocument } from "../../../src/operations/document.ts";
import { parseDocument } from "../../../src/document/loading/parse-document.ts";
import { checkOperations, document, folder } from "../../support/open-documents.ts";
import { cpuTimer } from "../../support/cpu-timer.ts";

async function refusal(input: string | object): Promise<ToolError> {
  try {
    await openDocument(input);
  } catch (error) {
    if (ToolError.is(error)) return error;
    throw error;
  }
  throw new Error("the document was opened");
}

describe("JSON and YAML", () => {
  test("JSON with a byte order mark and blanks before it is read", () => {
    expect(parseDocument('\ufeff \n {"a": 1}')).toEqual({ a: 1 });
  });

  test("a text that starts like JSON and is YAML is read", () => {
    expect(parseDocument("{ a: 1, # yes\n b: [2,],\n}")).toEqual({ a: 1, b: [2] });
  });

  test("the last of two equal keys wins, as in JSON", () => {
    expect(parseDocument("a: 1\nb: 2\na: 3\n")).toEqual({ a: 3, b: 2 });
  });

  test("merge keys, unknown tags, numbers as keys and dates are read", () => {
    const text = `
base: &base { type: string, format: x }
one:
  <<: *base
  format: y
two: !Custom { a: !Other text }
three: !List [1]
binary: !!binary aGk=
200: ok
date: 2024-05-06
answer: yes
`;
    expect(parseDocument(text)).toEqual({
      base: { type: "string", format: "x" },
      one: { type: "string", format: "y" },
      two: { a: "text" },
      three: [1],
      binary: "aGk=",
      200: "ok",
      date: "2024-05-06",
      answer: "yes",
    });
  });

  test("closing brackets with too little indentation are accepted, as in Docker's document", () => {
    const text = `
paths:
  example: {
    "a": 1,
    "b": [
      2
    ]
  }
  list: [
    {
      x: 1
    }
  ]
after: true
`;
    expect(parseDocument(text)).toEqual({
      paths: { example: { a: 1, b: [2] }, list: [{ x: 1 }] },
      after: true,
    });
  });

  test("keys that would reach a prototype are ordinary keys", () => {
    for (const text of ['{"__proto__": {"polluted": 1}}', "__proto__: { polluted: 1 }\n"]) {
      const value = parseDocument(text) as Record<string, unknown>;
      expect(Object.keys(value)).toEqual(["__proto__"]);
      expect((value as { polluted?: unknown }).polluted).toBe(undefined);
    }
    expect(({} as { polluted?: unknown }).polluted).toBe(undefined);
  });

  test("aliases that multiply are refused at once", () => {
    const lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"];
    for (let level = 1; level <= 9; level++) {
      const item = `*a${level - 1}`;
      lines.push(`a${level}: &a${level} [${Array.from({ length: 9 }, () => item).join(", ")}]`);
    }
    const spent = cpuTimer();
    expect(() => parseDocument(lines.join("\n"))).toThrow(/aliases expand to more than/);
    expect(spent()).toBeLessThan(1000);
  });

  test("an alias that contains itself is refused", () => {
    expect(() => parseDocument("a: &a\n  b: *a\n")).toThrow(/contains itself/);
  });
});

describe("an unreadable document", () => {
  test("is reported with its position, and without quotes of the text", async () => {
    const json = await refusal('{ "openapi": "3.1.0", "secret": hunter2" : ] }');
    expect(json.message).toMatch(
      /^Cannot read the document: it is not valid JSON: Unexpected token/,
    );
    expect(json.message).not.toContain("hunter2");
    const cut = await refusal('{\n  "openapi": "3.1.0",\n  "x"');
    expect(cut.message).toMatch(/JSON: .* at line 3, column 6/);
    const yaml = await refusal("openapi: 3.1.0\ninfo: [ hunter2");
    expect(yaml.message).toMatch(/it is not valid YAML: .* at line 2, column \d+/);
    expect(yaml.message).not.toContain("hunter2");
    expect(yaml.code).toBe("invalid_arguments");
    expect(yaml.audience).toBe("host");
  });

  test("is reported as HTML or as an empty text if it is one", async () => {
    expect((await refusal("<!doctype html>\n<html></html>")).message).toMatch(/HTML or XML/);
    expect((await refusal("\n\n")).message).toMatch(/it is empty/);
  });

  test("is reported as missing and not retried", async () => {
    const error = await refusal("/no/such/file.yaml");
    expect(error.message).toBe(
      "Cannot read /no/such/file.yaml: there is no such file. Check the address.",
    );
    expect(error.code).toBe("unavailable");
    expect(error.retryable).toBe(false);
  });

  test("a file URL of another host is refused", async () => {
    const error = await refusal("file://elsewhere/api.yaml");
    expect(error.message).toBe("Cannot read file:///api.yaml: it is not the URL of a local file.");
    expect(error.code).toBe("invalid_arguments");
  });

  test("a folder is not a file", async () => {
    expect((await refusal(folder({}))).message).toMatch(/it is not a file/);
  });
});

describe("versions", () => {
  test.each([
    [{ swagger: "2.0" }, "2.0"],
    [{ swagger: 2 }, "2.0"],
    [{ openapi: "3.0.4" }, "3.0"],
    [{ openapi: 3 }, "3.0"],
    [{ openapi: "3.1.0-rc1" }, "3.1"],
    [{ openapi: 3.1 }, "3.1"],
    [{ openapi: "3.2.0" }, "3.2"],
  ])("%j is read as %s", async (head, version) => {
    expect((await openDocument({ ...head, paths: {} })).version).toBe(version);
  });

  test.each([
    [{ swagger: "1.2" }, /version "1\.2" is not supported; 2\.0, 3\.0, 3\.1 and 3\.2 are/],
    [{ openapi: "4.0.0" }, /version "4\.0\.0" is not supported/],
    [{ hello: "world" }, /neither an `openapi` nor a `swagger` field/],
    [[], /it is not an object/],
  ])("%j is refused", async (input, message) => {
    expect((await refusal(input)).message).toMatch(message);
  });
});

describe("inputs", () => {
  const api = document("3.1.0", { "/a": { get: { summary: "A" } } });

  test("text, value, path and file URL result in the same operations", async () => {
    const path = folder({ "api.json": api });
    const texts = [JSON.stringify(api), `openapi: 3.1.0\npaths:\n  /a: { get: { summary: A } }\n`];
    for (const input of [...texts, api, `${path}/api.json`, new URL(`file://${path}/api.json`)]) {
      const opened = await openDocument(input);
      expect(opened.operations.map(({ name, summary }) => [name, summary])).toEqual([
        ["get_a", "A"],
      ]);
    }
  });

  test.each([
    [{ webhooks: { x: { post: {} } } }, "`webhooks`"],
    [{ paths: {}, components: {} }, "`components`"],
    [{ paths: null, webhooks: {}, components: {} }, "`webhooks` and `components`"],
  ])(
    "a document without paths has no operations, and a problem says why: %j",
    async (parts, only) => {
      const opened = await openDocument({ openapi: "3.1.0", ...parts });
      expect(checkOperations(opened)).toEqual([]);
      expect(opened.problems).toEqual([
        {
          subject: "the document",
          message: `It has no paths, only ${only}, so there are no tools: webhooks are requests that the API sends, and components are used by the operations of other documents. Load the document that has the paths.`,
          pointer: "",
          severity: "warning",
        },
      ]);
    },
  );

  test("a value is not changed, even if it is deeply frozen", async () => {
    const freeze = (value: unknown): void => {
      if (typeof value !== "object" || value === null) return;
      Object.freeze(value);
      Object.values(value).forEach(freeze);
    };
    const frozen = document(
      "3.0.0",
      {
        "/a": {
          post: {
            parameters: [
              { name: "q", in: "query", schema: { type: "string", nullable: true, example: "x" } },
            ],
            requestBody: {
              content: { "application/json": { schema: { $ref: "#/components/schemas/A" } } },
            },
          },
        },
      },
      { components: { schemas: { A: { properties: { b: { $ref: "#/components/schemas/A" } } } } } },
    );
    freeze(frozen);
    expect(checkOperations(await openDocument(frozen))).toHaveLength(1);
  });
});
