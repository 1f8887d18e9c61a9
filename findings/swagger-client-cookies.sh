#!/usr/bin/env bash
# swagger-client 3.39.0: of two cookie parameters, only the last one is sent: each replaces the header of the one before.
# Seen: b=2, where both are given (RFC 6265 section 4.2.1: a=1; b=2).
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

const parameter = (name) => ({ in: "cookie", name, schema: { type: "string" } });
const { headers } = SwaggerClient.buildRequest({
  spec: spec({ parameters: [parameter("a"), parameter("b")] }),
  operationId: "op",
  parameters: { a: "1", b: "2" },
});
console.log(headers.Cookie);
JS
seen=$(node find.mjs)
echo "$seen"
[ "$seen" = "b=2" ]
