#!/usr/bin/env bash
# js-yaml 5.5.0: the keys `01` and `1.10` of a mapping become "1" and "1.1", so that a document loses entries: of the keys
# `1.1` and `1.10`, one is reported as a duplicate. In OpenAPI these are names, such as versions in a mapping.
# Seen: {"1":"a"} and {"1.1":"b"}, then "duplicated mapping key".
set -euo pipefail
cd "$(mktemp -d)"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund js-yaml@5.5.0
cat >find.mjs <<'JS'
import { load } from "js-yaml";
const tried = ["01: a", "1.10: b", "1.1: a\n1.10: b"].map((text) => {
  try {
    return JSON.stringify(load(text));
  } catch (error) {
    return error.reason;
  }
});
console.log(tried.join("\n"));
JS
seen=$(node find.mjs)
echo "$seen"
[ "$seen" = $'{"1":"a"}\n{"1.1":"b"}\nduplicated mapping key' ]
