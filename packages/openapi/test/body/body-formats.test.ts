import type { JsonObject, JsonValue } from "@toolweave/core";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { noFiles, type EncodedBody } from "../../src/body/body-writer.ts";
import type { MediaDescription } from "../../src/document/operation.ts";
import { chooseBody } from "../../src/body/body-formats.ts";
import { media, createSchema } from "../support/operations.ts";

function encode(description: MediaDescription, value: JsonValue): EncodedBody {
  const chosen = chooseBody([description]);
  if (chosen === undefined) throw new Error("no format");
  return chosen.format.writer(chosen.media, "body")(value, noFiles);
}

async function readForm({ body, contentType }: EncodedBody): Promise<FormData> {
  return new Response(body as Uint8Array<ArrayBuffer>, {
    headers: { "content-type": contentType },
  }).formData();
}

const base64 = (text: string | Uint8Array): string =>
  Buffer.from(text as string).toString("base64");

describe("JSON", () => {
  test.each([
    "application/json",
    "application/vnd.api+json; charset=utf-8",
    "application/merge-patch+json",
    "text/json",
  ])("%s is sent as it is declared", (mediaType) => {
    expect(encode(media(mediaType), { a: null })).toEqual({
      contentType: mediaType,
      body: '{"a":null}',
    });
  });

  test("is the meaning of */* unless the schema is text or bytes", () => {
    expect(encode(media("*/*", { type: "object" }), { a: 1 }).contentType).toBe("application/json");
    expect(encode(media("*/*", { type: "string" }), "x")).toEqual({
      contentType: "text/plain",
      body: "x",
    });
    expect(
      encode(media("*/*", { type: "string", format: "binary" }), base64("x")).contentType,
    ).toBe("application/octet-stream");
  });

  test("of items (OpenAPI 3.2) is a list for the model", () => {
    const items: MediaDescription = {
      ...media("application/jsonl"),
      itemSchema: createSchema({ type: "integer" }),
    };
    expect(chooseBody([items])?.format.argumentSchema?.(items)).toEqual({
      type: "array",
      items: { type: "integer" },
    });
    expect(encode(items, [1, 2]).body).toBe("1\n2\n");
  });

  test("on lines has one value on each", () => {
    const lines = media("application/x-ndjson", { type: "array" });
    expect(encode(lines, [{ a: 1 }, 2]).body).toBe('{"a":1}\n2\n');
    expect(() => encode(lines, { a: 1 })).toThrow(/"body" must be a list/);
  });
});

describe("a form", () => {
  const type = "application/x-www-form-urlencoded";

  test("decodes to the passed values", () => {
    fc.assert(
      fc.property(
        fc.dictionary(
          fc.string({ unit: "grapheme", minLength: 1 }).filter((name) => name !== "__proto__"),
          fc.string({ unit: "grapheme" }),
        ),
        (fields) => {
          const { body } = encode(media(type), { ...fields });
          expect(Object.fromEntries(new URLSearchParams(body as string))).toEqual({ ...fields });
        },
      ),
    );
  });

  test("repeats a list and writes an object as JSON unless its encoding differs", () => {
    const { body } = encode(media(type), { tags: ["a", 2], meta: { b: true }, none: null });
    expect([...new URLSearchParams(body as string)]).toEqual([
      ["tags", "a"],
      ["tags", "2"],
      ["meta", '{"b":true}'],
    ]);
  });

  test("follows style and explode of an encoding, also at deeper levels", () => {
    const encoding = {
      items: { style: "deepObject", explode: true },
      ids: { explode: false },
      path: { allowReserved: true },
    } as const;
    const { body } = encode(media(type, true, { encoding }), {
      items: [{ price: "p", n: 1 }],
      ids: [1, 2],
      path: "/a:b",
    });
    expect(body).toBe("items%5B0%5D%5Bprice%5D=p&items%5B0%5D%5Bn%5D=1&ids=1,2&path=/a:b");
  });

  test("refuses values without fields", () => {
    expect(() => encode(media(type), [1])).toThrow(/"body" must be an object/);
  });
});

describe("multipart", () => {
  const schema = {
    type: "object",
    properties: {
      file: { type: "string", format: "binary" },
      logo: { type: "string", contentMediaType: "image/png" },
      meta: { type: "object" },
      note: { type: "string" },
    },
  };

  test("carries any bytes unchanged, and text beside them", async () => {
    const bytes = Uint8Array.from({ length: 256 }, (_, index) => index);
    const form = await readForm(
      encode(media("multipart/form-data", schema), {
        file: base64(bytes),
        note: 'é "x"\r\n--b',
        meta: { a: [1] },
      }),
    );
    expect(new Uint8Array(await (form.get("file") as File).arrayBuffer())).toEqual(bytes);
    expect((form.get("file") as File).type).toBe("application/octet-stream");
    expect(form.get("note")).toBe('é "x"\r\n--b');
    // A part with a content type and no file name is a field like any other for this decoder.
    expect(form.get("meta")).toBe('{"a":[1]}');
  });

  test("gives each part the type of the schema or the encoding", async () => {
    const encoding = {
      file: { contentType: "image/*, image/jpeg" },
      note: { contentType: "text/markdown" },
    };
    const encoded = encode(media("multipart/form-data", schema, { encoding }), {
      file: base64("x"),
      logo: base64("y"),
      note: "z",
    });
    const text = Buffer.from(encoded.body as Uint8Array).toString();
    expect(text).toContain('name="file"; filename="file"\r\nContent-Type: image/jpeg\r\n');
    expect(text).toContain('name="logo"; filename="logo"\r\nContent-Type: image/png\r\n');
    expect(text).toContain('name="note"\r\nContent-Type: text/markdown\r\n');
  });

  test("finds files in composed schemas", async () => {
    const composed = media(
      "multipart/form-data",
      { allOf: [{ $ref: "#/$defs/Upload" }] },
      {
        defs: { Upload: schema },
      },
    );
    const form = await readForm(encode(composed, { file: base64("hello") }));
    expect(await (form.get("file") as File).text()).toBe("hello");
  });

  test("joins a list if its encoding requires it", async () => {
    const encoding = {
      a: { explode: false },
      b: { style: "pipeDelimited" },
      c: { explode: false, delimiter: "\t" },
      d: {},
    } as const;
    const form = await readForm(
      encode(media("multipart/form-data", true, { encoding }), {
        a: [1, 2],
        b: [1, 2],
        c: [1, 2],
        d: [1, 2],
      }),
    );
    expect([...form]).toEqual([
      ["a", "1,2"],
      ["b", "1|2"],
      ["c", "1\t2"],
      ["d", "1"],
      ["d", "2"],
    ]);
  });

  test("keeps quotes and line breaks of a name inside it", () => {
    const encoded = encode(media("multipart/form-data"), { 'a"\r\nX: 1': "v" } as JsonObject);
    expect(Buffer.from(encoded.body as Uint8Array).toString()).toContain(
      'name="a%22%0D%0AX: 1"\r\n\r\nv',
    );
  });

  test.each(["not base64!", "abcde", 5])("refuses a file that is not base64: %j", (file) => {
    expect(() => encode(media("multipart/form-data", schema), { file })).toThrow(
      /"file" must be base64/,
    );
  });
});

describe("bytes and text", () => {
  test("bytes come as base64, in either alphabet, with or without padding", () => {
    const octets = media("application/octet-stream", { type: "string", format: "binary" });
    for (const text of ["-_8=", "+/8", "+/8=\n"]) {
      expect(Buffer.from(encode(octets, text).body as Uint8Array)).toEqual(
        Buffer.from([0xfb, 0xff]),
      );
    }
  });

  test.each(["text/plain", "text/csv", "application/xml", "application/yaml"])(
    "%s is text",
    (mediaType) => {
      expect(encode(media(mediaType), "a,é\n")).toEqual({ contentType: mediaType, body: "a,é\n" });
    },
  );

  test("a type with wildcards is that of the bytes, which must contain it", () => {
    const url = `data:image/png;base64,${base64("x")}`;
    expect(encode(media("image/*"), url)).toEqual({
      contentType: "image/png",
      body: Buffer.from("x"),
    });
    expect(() => encode(media("image/*"), base64("x"))).toThrow(
      /"body" must be image\/\*: pass a data URL that names the type/,
    );
  });
});
