import { expect, test } from "vitest";
import { listenConsole, readPageFiles } from "../src/index.ts";

const none = undefined as never;

test.each<[make: () => unknown, message: string]>([
  [() => listenConsole(none), "listenConsole: options is missing; use an object."],
  [() => listenConsole("x" as never), "listenConsole: options is no object; use one."],
  [() => readPageFiles(none), "readPageFiles: folder is missing; use a text"],
])("a value of the wrong kind is an error with its name: %#", async (make, message) => {
  await expect((async () => make())()).rejects.toMatchObject({
    code: "invalid_configuration",
    message: expect.stringContaining(message),
  });
});
