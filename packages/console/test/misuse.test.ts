import { ToolError } from "@toolweave/core";
import { expect, test } from "vitest";
import { listenConsole, readPageFiles } from "../src/index.ts";

const none = undefined as never;

test.each<[make: () => unknown, message: string]>([
  [() => listenConsole(none), "listenConsole: options is missing; use an object."],
  [() => listenConsole("x" as never), 'listenConsole: options is "x"; use an object.'],
  [() => readPageFiles(none), "readPageFiles: folder is missing; use a text"],
])("a value of the wrong kind is an error with its name: %#", async (make, message) => {
  const error: unknown = await Promise.resolve()
    .then(make)
    .catch((reason: unknown) => reason);
  expect(ToolError.is(error)).toBe(true);
  expect(error).toMatchObject({ code: "invalid_configuration" });
  expect(String(error)).toContain(message);
});
