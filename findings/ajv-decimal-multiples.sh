#!/usr/bin/env bash
# ajv 8.20.0: 19.99 is not valid for `multipleOf: 0.01`, and neither are 1,362 more of the 10,001 amounts from 0.00 to 100.00,
# since it divides in binary. JSON Schema 2020-12 core, section 4.2.1: a number is a decimal one. `multipleOfPrecision` is off
# by default, so that Prism and openapi-backend refuse such amounts too.
# Seen: false, 1363.
set -euo pipefail
cd "$(mktemp -d)"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund ajv@8.20.0
cat >find.mjs <<'JS'
import { Ajv2020 } from "ajv/dist/2020.js";

const isValid = new Ajv2020().compile({ type: "number", multipleOf: 0.01 });
const amounts = Array.from({ length: 10_001 }, (_, cents) => Number((cents / 100).toFixed(2)));
console.log(isValid(19.99), amounts.filter((amount) => !isValid(amount)).length);
JS
seen=$(node find.mjs)
echo "$seen"
[ "$seen" = "false 1363" ]
