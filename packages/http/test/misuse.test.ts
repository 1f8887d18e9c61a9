import { expect, test } from "vitest";
import { httpClient, isPrivateHost } from "../src/index.ts";

const none = undefined as never;

test.each<[make: () => unknown, message: string]>([
  [() => httpClient(5 as never), "httpClient takes an object"],
  [() => httpClient(null as never), "httpClient takes an object"],
  [() => httpClient({ timeout: 5 } as never), 'unknown option "timeout". Did you mean timeoutMs?'],
  [() => httpClient({ allowOrigins: "x" as never }), 'allowOrigins is "x"; use a list.'],
  [() => httpClient({ timeoutMs: "5" as never }), "timeoutMs must be a number from 0 to"],
  [() => isPrivateHost(none), "isPrivateHost: hostname is no text; use one."],
])("a value of the wrong kind is an error with its name: %#", async (make, message) => {
  await expect((async () => make())()).rejects.toMatchObject({
    code: "invalid_configuration",
    message: expect.stringContaining(message),
  });
});
