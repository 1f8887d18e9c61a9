import type { JsonObject, JsonValue } from "@toolweave/core";
import { describe, expect, test } from "vitest";
import type { ArtifactFiles } from "../../src/body/body-writer.ts";
import type { MediaDescription } from "../../src/document/operation.ts";
import { chooseBody } from "../../src/body/body-formats.ts";
import { media } from "../support/operations.ts";
import { cpuTimer } from "../support/cpu-timer.ts";

const key = `art_${"0".repeat(32)}`;
const stored: ArtifactFiles = () => ({
  bytes: Uint8Array.of(0xfb, 0xff),
  mediaType: "image/jpeg",
  name: 'a\\b\u0000"c".jpg',
});

function sent(
  description: MediaDescription,
  value: JsonValue,
  files: ArtifactFiles = stored,
): string {
  const chosen = chooseBody([description]);
  if (chosen === undefined) throw new Error("no format");
  const { body } = chosen.format.writer(chosen.media, "body")(value, files);
  return typeof body === "string" ? body : Buffer.from(body).toString("latin1");
}

const encodedBytes = { type: "string", contentEncoding: "base64" };

describe("an artifact's key in a body", () => {
  test("of JSON becomes base64 wherever the schema has encoded bytes, and stays text elsewhere", () => {
    const schema = {
      type: "object",
      properties: {
        old: { type: "string", format: "byte" },
        url: { type: "string", contentEncoding: "base64url" },
        all: { type: "array", items: { $ref: "#/$defs/File" } },
        any: { oneOf: [{ type: "integer" }, { $ref: "#/$defs/File" }] },
        note: { type: "string" },
      },
      additionalProperties: encodedBytes,
    };
    const defs = { File: { anyOf: [encodedBytes, { type: "null" }] } };
    const value = { old: key, url: key, all: [key, "AA=="], any: key, note: key, more: key };
    expect(JSON.parse(sent(media("application/json", schema, { defs }), value))).toEqual({
      old: "+/8=",
      url: "-_8=",
      all: ["+/8=", "AA=="],
      any: "+/8=",
      note: key,
      more: "+/8=",
    });
  });

  test("of JSON is searched once in each schema, however many paths lead there", () => {
    const levels = 7;
    const defs: Record<string, JsonObject> = {};
    for (let level = 0; level < levels; level++) {
      for (let at = 0; at < 9; at++) {
        const below = Array.from({ length: 9 }, (_, to) => ({
          $ref: `#/$defs/L${level + 1}.${to}`,
        }));
        defs[`L${level}.${at}`] = level === levels - 1 ? encodedBytes : { anyOf: below };
      }
    }
    const spent = cpuTimer();
    const body = sent(media("application/json", { $ref: "#/$defs/L0.0" }, { defs }), key);
    expect(spent()).toBeLessThan(500);
    expect(body).toBe('"+/8="');
  });

  test("of a part sets its own media type only if a header can contain it", () => {
    const schema = { type: "object", properties: { file: {} } };
    const description = media("multipart/form-data", schema);
    const mediaType = "image/png;\r\nX-Evil: 1";
    const body = sent(description, { file: key }, () => ({ bytes: Uint8Array.of(65), mediaType }));
    expect(body).toContain("Content-Type: application/octet-stream\r\n\r\nA\r\n");
  });

  test("of a form becomes base64 as well", () => {
    const schema = { type: "object", properties: { icon: encodedBytes, note: { type: "string" } } };
    const form = media("application/x-www-form-urlencoded", schema);
    expect(sent(form, { icon: key, note: key })).toBe(`icon=%2B%2F8%3D&note=${key}`);
  });

  test("of encoded bytes in a part stays base64, of a file becomes bytes", () => {
    const schema = { type: "object", properties: { text: encodedBytes, file: {} } };
    const body = sent(media("multipart/form-data", schema), { text: key, file: key } as JsonObject);
    expect(body).toContain('name="text"\r\nContent-Type: application/octet-stream\r\n\r\n+/8=\r\n');
    expect(body).toContain("Content-Type: image/jpeg\r\n\r\n\xfb\xff\r\n");
  });

  test("becomes bytes in a part that is a file through compositions, references and maps", () => {
    const file = { type: "string", format: "binary" };
    const defs = { File: file, Optional: { anyOf: [file, { type: "null" }] } };
    const schema = {
      type: "object",
      properties: {
        a: { anyOf: [{ $ref: "#/$defs/File" }, { type: "null" }] },
        b: { allOf: [{ $ref: "#/$defs/File" }], description: "A picture." },
        c: { $ref: "#/$defs/Optional", description: "A picture." },
        d: { type: "array", items: { $ref: "#/$defs/Optional" } },
        e: { oneOf: [file, { type: "string", format: "uri" }] },
      },
      additionalProperties: { $ref: "#/$defs/Optional" },
    };
    const value = { a: key, b: key, c: key, d: [key], e: key, f: key } as JsonObject;
    const body = sent(media("multipart/form-data", schema, { defs }), value);
    expect(
      body.match(/filename=.*\r\nContent-Type: image\/jpeg\r\n\r\n\xfb\xff\r\n/g),
    ).toHaveLength(6);
  });

  test("gives a part the artifact's own type only if the encoding allows it", () => {
    const schema = { type: "object", properties: { a: {}, b: {}, c: {} } };
    const encoding = {
      a: { contentType: "image/png, image/jpeg" },
      b: { contentType: "image/*" },
      c: { contentType: "image/png" },
    };
    const body = sent(media("multipart/form-data", schema, { encoding }), {
      a: key,
      b: key,
      c: key,
    });
    expect(body.match(/(?<=Content-Type: ).*(?=\r)/g)).toEqual([
      "image/jpeg",
      "image/jpeg",
      "image/png",
    ]);
  });

  test("gives a part the artifact's name, without characters that a part's header cannot contain", () => {
    const schema = { type: "object", properties: { file: {} } };
    expect(sent(media("multipart/form-data", schema), { file: key })).toContain(
      'name="file"; filename="a_b_%22c%22.jpg"\r\n',
    );
  });

  test("of bytes in JSON or a form is refused, since neither has bytes", () => {
    const schema = {
      type: "object",
      properties: { f: { type: "string", format: "binary" }, deep: { $ref: "#/$defs/Deep" } },
    };
    const defs = { Deep: { type: "array", items: { properties: { g: { format: "binary" } } } } };
    const json = media("application/json", schema, { defs });
    expect(() => sent(json, { f: key })).toThrow(/"body.f" cannot be an artifact: this media type/);
    expect(() => sent(json, { deep: [{ g: key }] })).toThrow(/"body.deep.g" cannot be an artifact/);
    expect(sent(json, { f: "text" })).toBe('{"f":"text"}');
    const form = media("application/x-www-form-urlencoded", schema, { defs });
    expect(() => sent(form, { f: key })).toThrow(/"body.f" cannot be an artifact/);
  });

  test("of a text that is a file becomes the file's bytes, and stays text otherwise", () => {
    const file = media("text/csv", { type: "string", format: "binary" });
    expect(sent(file, key)).toBe("\xfb\xff");
    expect(sent(media("text/csv", { type: "string" }), key)).toBe(key);
  });

  test("of a complete body that is base64 becomes base64, in the schema's alphabet", () => {
    const url = { type: "string", contentEncoding: "base64url" };
    expect(sent(media("image/jpeg", encodedBytes), key)).toBe("+/8=");
    expect(sent(media("text/plain", { type: "string", format: "byte" }), key)).toBe("+/8=");
    expect(sent(media("image/jpeg", url), key)).toBe("-_8=");
    expect(sent(media("image/*", encodedBytes), key)).toBe("+/8=");
  });

  test("of a range of types sets its own type, and is refused if the range does not include it", () => {
    const chosen = chooseBody([media("image/*")]);
    const encode = chosen?.format.writer(chosen.media, "body");
    expect(encode?.(key, stored).contentType).toBe("image/jpeg");
    expect(() =>
      encode?.(key, () => ({ bytes: new Uint8Array(), mediaType: "text/html" })),
    ).toThrow(/"body" must be image\/\*/);
  });

  test("becomes base64 on JSON lines and in a part that is JSON", () => {
    const item = { type: "object", properties: { icon: encodedBytes } };
    const lines = media("application/jsonl", { type: "array", items: item });
    expect(sent(lines, [{ icon: key }])).toBe('{"icon":"+/8="}\n');
    const parts = media("multipart/form-data", { type: "object", properties: { meta: item } });
    expect(sent(parts, { meta: { icon: key } })).toContain('{"icon":"+/8="}');
  });

  test("is mentioned to the model for a property of encoded bytes", () => {
    const json = media("application/json", {
      type: "object",
      properties: { a: { ...encodedBytes, description: "A photo." }, b: { type: "string" } },
    });
    expect(chooseBody([json])?.format.argumentSchema?.(json)).toMatchObject({
      properties: {
        a: { description: "A photo.\n\nBase64, or the key of an artifact: art_…" },
        b: { type: "string" },
      },
    });
  });
});
