import type { JsonObject } from "@toolweave/core";
import { describe, expect, test } from "vitest";
import { openApiSource } from "../../src/index.ts";
import { RecordingServer, respond } from "../support/recording-server.ts";
import { rejection, sourceOf, toolOf } from "../support/tool-of.ts";

const ok = { "200": { description: "ok" } };

describe("servers", () => {
  const at = async (servers: JsonObject[], url: string): Promise<string | undefined> => {
    const document = JSON.stringify({
      openapi: "3.1.0",
      info: {},
      servers,
      paths: { "/a": { post: { responses: ok } } },
    });
    await using host = await RecordingServer.start(respond(200, "application/json", document));
    await using source = openApiSource(host.origin + url);
    await source.ready;
    const [permission] = (await toolOf(source, "post_a").preflight?.({}, {} as never)) ?? [];
    return permission?.target.replace(host.origin, "HOST");
  };

  test.each<[JsonObject[], string]>([
    [[], "POST HOST/a"],
    [[{ url: "/" }], "POST HOST/a"],
    [[{ url: "/v1/" }], "POST HOST/v1/a"],
    [[{ url: "../v2" }], "POST HOST/v2/a"],
    [[{ url: "v3" }], "POST HOST/docs/v3/a"],
    [[{ url: "//other.example/x" }], "POST http://other.example/x/a"],
    [
      [
        {
          url: "https://{zone}.example/{v}",
          variables: { zone: { default: "eu" }, v: { default: "v4" } },
        },
      ],
      "POST https://eu.example/v4/a",
    ],
    [
      [
        { url: "javascript:alert(1)" },
        { url: "ftp://x" },
        { url: "https://user:pw@evil" },
        { url: "https://good.example" },
      ],
      "POST https://good.example/a",
    ],
  ])("%j of a document at /docs/openapi.json lead to %s", async (servers, expected) => {
    expect(await at(servers, "/docs/openapi.json")).toBe(expected);
  });

  test("that a document chose on a private host need the host's word", async () => {
    await using museum = await RecordingServer.start();
    await using source = await sourceOf(
      { "/a": { get: { responses: ok } } },
      {},
      { servers: [{ url: museum.origin }] },
    );
    expect(await rejection(toolOf(source, "get_a"))).toMatchObject({
      code: "permission_denied",
      message: expect.stringContaining(`allowOrigins: ["${museum.origin}"]`) as string,
    });
    expect(museum.requests).toHaveLength(0);
  });
});
