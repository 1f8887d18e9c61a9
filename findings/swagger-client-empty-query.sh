#!/usr/bin/env bash
# swagger-client 3.39.0: an empty text of a query parameter is not sent, not even of a required one. OpenAPI 3.0.3, Style
# Examples, `form`: an empty text is `color=`. In a form body the same value is sent.
# Seen: http://api.example/x for the query, "v=" for the form.
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

const query = SwaggerClient.buildRequest({
  spec: spec({
    parameters: [{ in: "query", name: "v", required: true, schema: { type: "string" } }],
  }),
  operationId: "op",
  parameters: { v: "" },
});
console.log(query.url);
const type = "application/x-www-form-urlencoded";
const schema = { type: "object", properties: { v: { type: "string" } } };
const form = SwaggerClient.buildRequest({
  spec: spec({ requestBody: { content: { [type]: { schema } } } }),
  operationId: "op",
  requestBody: { v: "" },
});
console.log(form.body);
JS
seen=$(node find.mjs)
echo "$seen"
[ "$seen" = $'http://api.example/x\nv=' ]
