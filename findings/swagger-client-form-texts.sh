#!/usr/bin/env bash
# swagger-client 3.39.0: texts of a form that look like JSON are parsed and written again, whatever the schema says: the
# version 1.10 becomes 1.1, 1e3 becomes 1000, and the id 9007199254740993 another id.
# Seen: v=1.1, v=1000, v=9007199254740992 for `type: string`.
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
const schema = { type: "object", properties: { v: { type: "string" } } };
for (const v of ["1.10", "1e3", "9007199254740993"]) {
  const { body } = SwaggerClient.buildRequest({
    spec: spec({ requestBody: { content: { [type]: { schema } } } }),
    operationId: "op",
    requestBody: { v },
  });
  console.log(body);
}
JS
seen=$(node find.mjs)
echo "$seen"
[ "$seen" = $'v=1.1\nv=1000\nv=9007199254740992' ]
