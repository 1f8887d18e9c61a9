import type { JsonObject } from "@toolweave/core";
import { describe, expect, test } from "vitest";
import { layoutArguments } from "../../src/arguments/argument-layout.ts";
import type { OperationDetails } from "../../src/document/operation.ts";
import { planRequest, type PlannedRequest } from "../../src/request/request-plan.ts";
import { body, details, media, parameter } from "../support/operations.ts";

function plan(given: Partial<OperationDetails>, args: JsonObject, path = "/x"): PlannedRequest {
  const layout = layoutArguments(details(given), path, "", { headers: new Set(), cookies: [] });
  const server = { origin: "https://api.example", path: "/v1" };
  return planRequest("POST", path, server, layout, "application/json")(args);
}

const settings = media("application/json", { type: "object", properties: { a: {}, b: {} } });

describe("a request plan", () => {
  test("puts every value in its place", () => {
    const given: Partial<OperationDetails> = {
      parameters: [
        parameter({ name: "id", in: "path" }),
        parameter({ name: "id", in: "query" }),
        parameter({ name: "X-Trace", in: "header" }),
        parameter({ name: "c", in: "cookie" }),
        parameter({ name: "d", in: "cookie" }),
      ],
      body: body([settings]),
    };
    const args = { id: 1, query_id: [2, 3], "X-Trace": "t", c: "x", d: "y", a: null };
    expect(plan(given, args, "/x/{id}?fixed=1")).toEqual({
      method: "POST",
      origin: "https://api.example",
      path: "/v1/x/1",
      query: "fixed=1&id=2&id=3",
      headers: { accept: "application/json", "content-type": "application/json", "x-trace": "t" },
      cookie: "c=x; d=y",
      body: '{"a":null}',
    });
  });

  test("sends a required body although all of its properties are absent, but not an optional one", () => {
    expect(plan({ body: body([settings]) }, {})).toMatchObject({ body: "{}" });
    const without = plan({ body: body([settings], false) }, {});
    expect(without).not.toHaveProperty("body");
    expect(without.headers).toEqual({ accept: "application/json" });
    expect(plan({ body: body([settings], false) }, { b: 1 })).toMatchObject({ body: '{"b":1}' });
  });

  test("reads arguments only from the object's own members", () => {
    const given = {
      parameters: [parameter({ name: "constructor", in: "query" })],
      body: body([media("application/json", { type: "object", properties: { toString: {} } })]),
    };
    expect(plan(given, {})).toMatchObject({ query: "", body: "{}" });
  });
});
