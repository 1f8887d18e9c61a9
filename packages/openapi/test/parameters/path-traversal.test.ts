import { describe, expect, test } from "vitest";
import { layoutArguments } from "../../src/arguments/argument-layout.ts";
import { planRequest } from "../../src/request/request-plan.ts";
import { chooseServer } from "../../src/request/servers.ts";
import { details } from "../support/operations.ts";
import { rejection, openSource, findTool } from "../support/call-tool.ts";

const climbing = [
  "/../../admin/keys",
  "/%2e%2e/%2E%2e/admin",
  "/%252e%252E/admin",
  "/a/./b",
  "/a%2f..%2fadmin",
  "/..;x/admin",
  "/a\\..\\admin",
  "/a%5c..",
  "/a%255Cb",
  "/{id}/..",
  "/{a/../b}",
];

describe("a path that leaves baseUrl", () => {
  test.each(climbing)("makes its operation a problem: %s", async (path) => {
    await using source = await openSource(
      { [path]: { delete: { operationId: "x", responses: {} } } },
      { baseUrl: "http://127.0.0.1:1/tenant/v1" },
    );
    const tool = findTool(source, "x");
    expect(() => tool.preflight?.({}, {} as never)).toThrow(
      expect.objectContaining({
        code: "unavailable",
        message: expect.stringContaining("lead outside the base path") as string,
      }) as Error,
    );
    expect(await rejection(tool)).toMatchObject({ code: "unavailable" });
    source.realize();
    expect(source.tools()).toEqual([]);
    expect(source.problems.at(-1)).toMatchObject({
      subject: `DELETE ${path}`,
      message: expect.stringContaining("lead outside the base path") as string,
    });
  });

  test.each(["/a/v1..v2", "/.well-known/x", "/a/...", "/group%2Fproject", "/{base}...{head}"])(
    "does not include dots in other places: %s",
    async (path) => {
      await using source = await openSource({
        [path]: { get: { operationId: "x", responses: {} } },
      });
      source.realize();
      expect(source.tools()).toHaveLength(1);
    },
  );

  test("is also refused by the plan, for any server", () => {
    const layout = layoutArguments(details(), "/x", "", { headers: new Set(), cookies: [] });
    for (const path of ["/a/..", "/a?b=", "/a#", "/a\t"]) {
      const server = { origin: "https://api.example", path };
      expect(() => planRequest("GET", "/x", server, layout, "*/*")).toThrow(
        /would be changed by the URL parser/,
      );
    }
  });

  test.each(["https://api.example/v1/%252e%252e", "https://api.example/a%2f..%2fb"])(
    "cannot be a server of a document: %s",
    (server) => {
      expect(chooseServer([server])).toContain(JSON.stringify(server));
    },
  );
});
