import { expect, test } from "vitest";
import { openApi } from "../../support/start-api.ts";

const responses = { "200": { description: "ok" } };
const paths = { "/thing": { get: { operationId: "getThing", responses } } };
const warning = "The answer is not valid UTF-8: U+FFFD replaces the invalid bytes.";

test.each([
  ["application/json", Buffer.from('{"name":"J\xfcrgen"}', "latin1"), [warning]],
  ["text/plain", Buffer.from("J\xfcrgen", "latin1"), [warning]],
  ["text/plain; charset=utf-8", Buffer.from("J\xfcrgen", "latin1"), [warning]],
  ["text/plain; charset=iso-8859-1", Buffer.from("J\xfcrgen", "latin1"), undefined],
  ["application/json", Buffer.from('{"name":"\uFFFD"}'), undefined],
  ["image/png", Buffer.of(0x89, 0x50, 0xff), undefined],
])(
  "an answer of %s with invalid bytes causes a warning for the host",
  async (type, body, warnings) => {
    const { call } = await openApi(paths, (_, response) => {
      response.setHeader("content-type", type).end(body);
    });
    const outcome = await call("get_thing");
    expect(outcome.status).toBe("completed");
    const { details } = (outcome as { readonly result: { readonly details: object } }).result;
    expect((details as { readonly warnings?: unknown }).warnings).toEqual(warnings);
  },
);
