#!/usr/bin/env bash
# @stoplight/prism-http 5.16.0: an integer of `format: int64` beyond 2^53 - 1 is refused, as if the document had that
# maximum. OpenAPI 3.0.3, Data Types: int64 is signed and has 64 bits. Without the format, it is accepted.
# Seen: 204 without the format, 422 "must be <= 9007199254740991" with it.
set -euo pipefail
cd "$(mktemp -d)"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund @stoplight/prism-http@5.16.0 @stoplight/prism-http-server@5.16.0
cat >openapi.json <<'JSON'
{
  "openapi": "3.0.3",
  "info": { "title": "t", "version": "1" },
  "paths": {
    "/plain/{id}": {
      "get": {
        "parameters": [{ "in": "path", "name": "id", "required": true, "schema": { "type": "integer" } }],
        "responses": { "204": { "description": "Done." } }
      }
    },
    "/int64/{id}": {
      "get": {
        "parameters": [
          { "in": "path", "name": "id", "required": true, "schema": { "type": "integer", "format": "int64" } }
        ],
        "responses": { "204": { "description": "Done." } }
      }
    }
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
  await call("/plain/9007199254740992");
  await call("/int64/9007199254740992");
  await server.close();
}
void main();
JS
seen=$(node find.cjs)
echo "$seen"
[ "$seen" = $'204 \n422 Request path parameter id must be <= 9007199254740991' ]
