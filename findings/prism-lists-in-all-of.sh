#!/usr/bin/env bash
# @stoplight/prism-http 5.16.0: a header parameter that is a list is read as text if `allOf` lies between, as documents
# write it to describe a reference. OpenAPI 3.0.3, Style Values: `simple` writes a list as a,b.
# Seen: 204 for the list itself, 422 "must be array" behind `allOf`.
set -euo pipefail
cd "$(mktemp -d)"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund @stoplight/prism-http@5.16.0 @stoplight/prism-http-server@5.16.0
cat >openapi.json <<'JSON'
{
  "openapi": "3.0.3",
  "info": { "title": "t", "version": "1" },
  "paths": {
    "/plain": {
      "get": {
        "parameters": [{ "in": "header", "name": "v", "schema": { "$ref": "#/components/schemas/List" } }],
        "responses": { "204": { "description": "Done." } }
      }
    },
    "/described": {
      "get": {
        "parameters": [
          {
            "in": "header",
            "name": "v",
            "schema": { "allOf": [{ "$ref": "#/components/schemas/List" }], "description": "Its list." }
          }
        ],
        "responses": { "204": { "description": "Done." } }
      }
    }
  },
  "components": {
    "schemas": { "List": { "type": "array", "items": { "type": "string" } } }
  }
}
JSON
cat >find.cjs <<'JS'
const { getHttpOperationsFromSpec } = require("@stoplight/prism-http");
const { createServer } = require("@stoplight/prism-http-server");

const ignore = () => {};
const logger = { info: ignore, success: ignore, warn: ignore, error: ignore, debug: ignore };
logger.child = () => logger;
const config = { validateRequest: true, checkSecurity: true, mock: { dynamic: false } };

async function main() {
  const operations = await getHttpOperationsFromSpec("openapi.json");
  const server = createServer(operations, { cors: false, config, components: { logger } });
  const origin = await server.listen(0, "127.0.0.1");
  const call = async (path, init) => {
    const response = await fetch(origin + path, init);
    const { validation = [] } = response.status === 204 ? {} : await response.json();
    console.log(response.status, validation.map(({ message }) => message).join("; "));
  };
  await call("/plain", { headers: { v: "a,b" } });
  await call("/described", { headers: { v: "a,b" } });
  await server.close();
}
void main();
JS
seen=$(node find.cjs)
echo "$seen"
[ "$seen" = $'204 \n422 Request header parameter v must be array' ]
