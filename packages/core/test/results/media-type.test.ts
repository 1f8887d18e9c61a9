import { expect, test } from "vitest";
import {
  getMediaTypeName,
  isJsonMediaType,
  isReadableMediaType,
  isTextMediaType,
} from "../../src/results/media-type.ts";

test("the name of a media type has no parameters, and is in lower case", () => {
  expect(getMediaTypeName(" Text/HTML ; charset=utf-8")).toBe("text/html");
});

test.each([
  ["application/json; charset=utf-8", "json"],
  ["text/json", "json"],
  ["application/problem+json", "json"],
  ["text/markdown", "text"],
  ["image/svg+xml", "text"],
  ["application/vnd.x-yaml", "text"],
  ["application/x-ndjson", "text"],
  ["application/json-seq", "text"],
  ["application/x-www-form-urlencoded", "text"],
  ["application/octet-stream", "neither"],
  ["image/png", "neither"],
  ["application/vnd.openxmlformats-officedocument.wordprocessingml.document", "neither"],
  ["application/jsonish", "neither"],
])("%s is read as %s", (mediaType, kind) => {
  expect(isJsonMediaType(mediaType)).toBe(kind === "json");
  expect(isTextMediaType(mediaType)).toBe(kind === "text");
  expect(isReadableMediaType(mediaType)).toBe(kind !== "neither");
});
