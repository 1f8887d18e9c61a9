import { expect, test } from "vitest";
import { respond } from "@toolweave/test-support/recording-server";
import { openApi } from "../support/start-api.ts";

const paths = {
  "/thing": { get: { operationId: "getThing", responses: { "200": { description: "ok" } } } },
};

test("HT41: an unreachable API is not called for a while, and the call's error says so", async () => {
  const { call, server } = await openApi(paths, respond(200, "text/plain", "here"));
  await server.pause();
  for (let count = 0; count < 10; count++) {
    expect(await call("get_thing")).toMatchObject({
      status: "failed",
      error: { code: "unavailable" },
    });
  }
  await server.resume();
  const outcome = await call("get_thing");
  expect(outcome).toMatchObject({
    status: "failed",
    error: { code: "unavailable", retryable: true, retryAfterMs: expect.any(Number) as number },
  });
  expect(outcome.status === "failed" && outcome.error.message).toMatch(
    /has not answered 10 times in a row, so requests to it are refused for \d s\./,
  );
  expect(server.requests).toHaveLength(0);
});
