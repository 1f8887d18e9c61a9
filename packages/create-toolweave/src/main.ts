#!/usr/bin/env node
import { spawn } from "node:child_process";
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
    runCommand,
  });
}

function runCommand(command: string, cwd: string): Promise<boolean> {
  return new Promise((done) => {
    // On Windows, package managers are scripts, which only a shell can start. The command has no input of a user.
    const child = spawn(command, { cwd, stdio: "inherit", shell: true });
    child.once("error", () => done(false));
    child.once("close", (code) => done(code === 0));
  });
}
