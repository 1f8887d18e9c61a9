#!/usr/bin/env bash
# @stoplight/prism-http 5.16.0: no spelling of a list in a form is accepted, unless the document has an Encoding Object for
# it. OpenAPI 3.0.3, Encoding Object, `explode`: true is the default of the style `form`, as in a query: v=a&v=b.
# Seen: 422 "must be array" for v=a&v=b, v=a,b and multipart; 204 for v=a&v=b with `style` and `explode`.
set -euo pipefail
cd "$(mktemp -d)"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund @stoplight/prism-http@5.16.0 @stoplight/prism-http-server@5.16.0
cat >openapi.json <<'JSON'
{
  "openapi": "3.0.3",
  "info": { "title": "t", "version": "1" },
  "paths": {
    "/form": {
      "post": {
        "requestBody": {
          "content": {
            "application/x-www-form-urlencoded": { "schema": { "$ref": "#/components/schemas/Form" } },
            "multipart/form-data": { "schema": { "$ref": "#/components/schemas/Form" } }
          }
        },
        "responses": { "204": { "description": "Done." } }
      }
    },
    "/encoded": {
      "post": {
        "requestBody": {
          "content": {
            "application/x-www-form-urlencoded": {
              "schema": { "$ref": "#/components/schemas/Form" },
              "encoding": { "v": { "style": "form", "explode": true } }
            }
          }
        },
        "responses": { "204": { "description": "Done." } }
      }
    }
  },
  "components": {
    "schemas": {
      "Form": {
        "type": "object",
        "properties": { "v": { "type": "array", "items": { "type": "string" } } }
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
  const post = (path, body) => call(path, { method: "POST", body });
  const parts = new FormData();
  for (const item of ["a", "b"]) parts.append("v", item);
  await post("/form", new URLSearchParams("v=a&v=b"));
  await post("/form", new URLSearchParams("v=a,b"));
  await post("/form", parts);
  await post("/encoded", new URLSearchParams("v=a&v=b"));
  await server.close();
}
void main();
JS
seen=$(node find.cjs)
echo "$seen"
[ "$seen" = $'422 Request body property v must be array\n422 Request body property v must be array\n422 Request body property v must be array\n204 ' ]
