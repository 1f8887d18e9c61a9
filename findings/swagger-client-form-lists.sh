#!/usr/bin/env bash
# swagger-client 3.39.0: the items of a list in a form without an Encoding Object are one text with commas. OpenAPI 3.0.3,
# Encoding Object, `style` and `explode`: as in a query, so one pair for each item. With `explode: true`, the default, it is
# right.
# Seen: v=a,b without, v=a&v=b with `explode: true`.
set -euo pipefail
cd "$(mktemp -d)"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund swagger-client@3.39.0
cat >find.mjs <<'JS'
import SwaggerClient from "swagger-client";

const spec = (operation) => ({
  openapi: "3.0.3",
  info: { title: "t", version: "1" },
  servers: [{ url: "http://api.example" }],
  paths: { "/x": { post: { operationId: "op", responses: {}, ...operation } } },
});

const type = "application/x-www-form-urlencoded";
const list = { type: "array", items: { type: "string" } };
const schema = { type: "object", properties: { v: list } };
for (const encoding of [{}, { v: { explode: true } }]) {
  const { body } = SwaggerClient.buildRequest({
    spec: spec({ requestBody: { content: { [type]: { schema, encoding } } } }),
    operationId: "op",
    requestBody: { v: ["a", "b"] },
  });
  console.log(body);
}
JS
seen=$(node find.mjs)
echo "$seen"
[ "$seen" = $'v=a,b\nv=a&v=b' ]
