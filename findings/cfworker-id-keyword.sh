#!/usr/bin/env bash
# @cfworker/json-schema 4.1.6: `id` of an inner schema is a base URI in every draft, as in draft 4, so that references in it
# lead nowhere. Since draft 6, `id` is no keyword (JSON Schema 2020-12 core, section 6.5: an annotation).
# Seen: true without it, Unresolved $ref "#/$defs/a" with it.
set -euo pipefail
cd "$(mktemp -d)"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund @cfworker/json-schema@4.1.6
cat >find.mjs <<'JS'
import { Validator } from "@cfworker/json-schema";

for (const about of [{}, { id: "user" }]) {
  const schema = {
    properties: { user: { ...about, properties: { name: { $ref: "#/$defs/a" } } } },
    $defs: { a: { type: "string" } },
  };
  try {
    console.log(new Validator(schema, "2020-12").validate({ user: { name: "Ann" } }).valid);
  } catch (error) {
    console.log(error.message.split(".")[0]);
  }
}
JS
seen=$(node find.mjs)
echo "$seen"
[ "$seen" = $'true\nUnresolved $ref "#/$defs/a"' ]
