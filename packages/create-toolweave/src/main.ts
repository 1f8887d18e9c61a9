#!/usr/bin/env node
import { readFileSync } from "node:fs";
import { runCreate } from "./create.ts";

const manifest = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
process.exitCode = await runCreate(process.argv.slice(2), {
  version: manifest.version,
  input: process.stdin,
  output: process.stdout,
  userAgent: process.env["npm_config_user_agent"],
});
