import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { tempFolder } from "@toolweave/test-support/temp-folder";
import { onTestFinished, describe, expect, test } from "vitest";
import { openApiSource, type OpenApiSource } from "../../../src/index.ts";
import { RecordingServer } from "@toolweave/test-support/recording-server";

const yaml = `openapi: 3.1.0
info: { title: Bücher 📚, version: "1" }
paths:
  /books:
    get: { summary: "Alle Bücher 📚" }
`;
const json = JSON.stringify({
  openapi: "3.1.0",
  info: { title: "Bücher 📚", version: "1" },
  paths: { "/books": { get: { summary: "Alle Bücher 📚" } } },
});

function utf32(text: string, bigEndian: boolean): Buffer {
  const codes = Array.from(text, (character) => character.codePointAt(0) as number);
  const bytes = Buffer.alloc(codes.length * 4);
  for (const [index, code] of codes.entries()) {
    if (bigEndian) bytes.writeUInt32BE(code, index * 4);
    else bytes.writeUInt32LE(code, index * 4);
  }
  return bytes;
}

const encodings: Readonly<Record<string, (text: string) => Buffer>> = {
  "UTF-8": (text) => Buffer.from(text),
  "UTF-16, little endian": (text) => Buffer.from(text, "utf16le"),
  "UTF-16, big endian": (text) => Buffer.from(text, "utf16le").swap16(),
  "UTF-32, little endian": (text) => utf32(text, false),
  "UTF-32, big endian": (text) => utf32(text, true),
};

async function readSummary(source: OpenApiSource): Promise<string | undefined> {
  onTestFinished(() => source.close());
  await source.ready;
  expect(source.problems.filter(({ severity }) => severity !== "warning")).toEqual([]);
  return source.tools()[0]?.spec.description;
}

describe.each(Object.keys(encodings))("a document in %s", (name) => {
  test.each([
    ["YAML", yaml],
    ["YAML with a byte order mark", `\u{FEFF}${yaml}`],
    ["JSON", json],
    ["JSON with a byte order mark", `\u{FEFF}${json}`],
  ])("as %s is read from a file and from a URL, whatever its label is", async (_is, text) => {
    const bytes = encodings[name]?.(text) as Buffer;
    const path = join(tempFolder(), "openapi.yaml");
    writeFileSync(path, bytes);
    expect(await readSummary(openApiSource(path))).toContain("Alle Bücher 📚");
    const server = await RecordingServer.start((_recorded, response) => {
      response.setHeader("content-type", "application/yaml; charset=utf-8");
      response.end(bytes);
    });
    onTestFinished(() => server.close());
    expect(await readSummary(openApiSource(`${server.origin}/api`))).toContain("Alle Bücher 📚");
  });
});

test("bytes that are no text are refused with a reason", async () => {
  const path = join(tempFolder(), "openapi.yaml");
  writeFileSync(path, Buffer.from([0x50, 0x4b, 3, 4, 0, 0, 8, 0]));
  const source = openApiSource(path);
  await expect(source.ready).rejects.toThrow(/It has to be an OpenAPI document in JSON or YAML\./);
});
