import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { text } from "@toolweave/core";
import { base64ToBytes, bytesToBase64 } from "../../src/text/base64.ts";
import { call, executorFor, tool } from "../support/executor-for.ts";
import { completed } from "../support/outcomes.ts";

async function getResult(returned: unknown, largeOutputs = {}) {
  const executor = executorFor(
    tool("t", () => returned as never),
    { largeOutputs },
  );
  return completed(await executor.execute(call("t"))).result;
}

const latin = (beginning: string) => Buffer.from(`${beginning}\0\0\0`, "latin1");

describe("bytes", () => {
  test.each([
    ["image/png", latin("\x89PNG\r\n\x1a\n")],
    ["image/jpeg", latin("\xff\xd8\xff\xe0")],
    ["image/gif", latin("GIF89a")],
    ["image/webp", latin("RIFF\x10\0\0\0WEBPVP8 ")],
  ])("that begin like %s are an image", async (mimeType, data) => {
    expect((await getResult(data)).content).toEqual([
      { type: "image", mimeType, data: data.toString("base64") },
    ]);
  });

  test.each([
    ["audio/wav", latin("RIFF\x10\0\0\0WAVEfmt ")],
    ["audio/mpeg", latin("ID3\x04")],
    ["audio/mpeg", latin("\xff\xfb\x90")],
    ["audio/ogg", latin("OggS")],
  ])("that begin like %s are audio", async (mimeType, data) => {
    expect((await getResult(data)).content).toEqual([
      { type: "audio", mimeType, data: data.toString("base64") },
    ]);
  });

  test.each([
    ["application/pdf", latin("%PDF-1.7")],
    ["application/octet-stream", Buffer.from([1, 2, 3])],
    ["application/octet-stream", Buffer.from("RIFF\x10\0\0\0AVI ")],
    ["application/octet-stream", Buffer.from([0x61, 0xff])],
    ["application/octet-stream", Buffer.from([0xe6, 0x97])],
  ])(
    "TC15: of another type (%s) are stored, and the model is informed",
    async (mediaType, data) => {
      const { artifacts, content, value } = await getResult(data);
      expect(artifacts).toMatchObject([{ mediaType, size: data.length }]);
      expect(JSON.stringify(content)).not.toContain(data.toString("base64"));
      expect(value).toBeUndefined();
    },
  );

  test.each<[string, unknown]>([
    ["a buffer", Buffer.from("日本")],
    ["an array of them", Uint8Array.from(Buffer.from("日本"))],
    ["a clamped one", Uint8ClampedArray.from(Buffer.from("日本"))],
    ["an ArrayBuffer", Uint8Array.from(Buffer.from("日本")).buffer],
    ["a view", new DataView(Uint8Array.from(Buffer.from("x日本")).buffer, 1)],
  ])("that are text become that text: %s", async (_, returned) => {
    expect((await getResult(returned)).content).toEqual([text("日本")]);
  });

  test.each<[string, unknown, unknown]>([
    ["floats", Float32Array.of(0.5, NaN), [0.5, null]],
    ["integers", Int16Array.of(-1, 2), [-1, 2]],
    ["big integers", BigInt64Array.of(-1n, 2n), ["-1", "2"]],
  ])("differ from numbers: an array of %s is a list", async (_, returned, value) => {
    expect((await getResult(returned)).value).toEqual(value);
  });

  test("within a value are base64, whatever contains them", async () => {
    const bytes = Uint8Array.of(1, 2, 255);
    const value = {
      a: bytes,
      b: bytes.buffer,
      c: new DataView(bytes.buffer, 1),
      d: Buffer.from("x"),
    };
    expect((await getResult(value)).value).toEqual({ a: "AQL/", b: "AQL/", c: "Av8=", d: "eA==" });
  });

  test("above the capture limit are truncated, and an incomplete character is omitted", async () => {
    const { content } = await getResult(Buffer.from("日本日本"), { maxCapturedBytes: 7 });
    expect(content[0]).toEqual(text("日本"));
    expect(content).toHaveLength(2);
  });

  test("as base64 and back are the same", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100_000 }), (bytes) => {
        const base64 = bytesToBase64(bytes);
        expect(base64).toBe(Buffer.from(bytes).toString("base64"));
        expect(base64ToBytes(base64)).toEqual(bytes);
      }),
    );
    const long = bytesToBase64(new Uint8Array(70_000).fill(7));
    const [head, tail] = [long.slice(0, 40_000), long.slice(40_000)];
    expect(base64ToBytes(`${head}\n${tail}`)).toEqual(new Uint8Array(70_000).fill(7));
    expect(base64ToBytes(long.replace(/=+$/, ""))).toHaveLength(70_000);
    expect(base64ToBytes(`${head}AA==${tail}`)).toBeUndefined();
    expect(base64ToBytes(`${head}!!!!${tail}`)).toBeUndefined();
    expect(base64ToBytes("no base64!")).toBeUndefined();
    expect(base64ToBytes("AQ\n==")).toEqual(Uint8Array.of(1));
  });
});
