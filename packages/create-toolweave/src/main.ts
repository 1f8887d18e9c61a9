#!/usr/bin/env node
import { readFileSync } from "node:fs";
import { runCreate } from "./create.ts";

const manifest = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major < 22 || (major === 22 && minor < 19)) {
  process.stderr.write(
    `The project needs Node.js 22.19 or newer, but this is ${process.version}: install a newer version.\n`,
  );
  process.exitCode = 2;
} else {
  process.exitCode = await runCreate(process.argv.slice(2), {
    version: manifest.version,
    input: process.stdin,
    output: process.stdout,
    userAgent: process.env["npm_config_user_agent"],
  });
}
