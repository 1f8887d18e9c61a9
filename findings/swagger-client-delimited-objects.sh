#!/usr/bin/env bash
# swagger-client 3.39.0: objects of `pipeDelimited` and `spaceDelimited` are written with commas. OpenAPI 3.0.3, Style
# Examples: R|100|G|200 and R%20100%20G%20200. Lists have the bars and blanks.
# Seen: c=R,100,G,200 for both, c=1|2 and c=1%202 for lists.
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

for (const c of [{ R: 100, G: 200 }, [1, 2]]) {
  for (const style of ["pipeDelimited", "spaceDelimited"]) {
    const { url } = SwaggerClient.buildRequest({
      spec: spec({ parameters: [{ in: "query", name: "c", style, explode: false, schema: {} }] }),
      operationId: "op",
      parameters: { c },
    });
    console.log(url.split("?")[1]);
  }
}
JS
seen=$(node find.mjs)
echo "$seen"
[ "$seen" = $'c=R,100,G,200\nc=R,100,G,200\nc=1|2\nc=1%202' ]
