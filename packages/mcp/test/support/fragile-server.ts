import { spawn } from "node:child_process";
import { appendFileSync, readFileSync, writeSync } from "node:fs";
import { createInterface } from "node:readline";

/**
 * A server with the faults in its first argument, separated by commas. Its second argument is a
 * file, to which it adds its process id at every start.
 *
 * - `mute`: answers nothing
 * - `brief`: exits 200 ms after every start
 * - `once`: has the faults only until its second start
 * - `stubborn`: does not exit with its input, nor on a signal
 * - `children`: starts a process that gets no signal to exit, and writes its id, too
 * - `detached`: the same, with a detached process
 * - `follows`: a detached process that exits when its parent has
 * - `deaf`: does not answer `ping`
 * - `flood`: announces without end that its tools have changed
 */
const [, , ways = "", file] = process.argv;
const starts = file === undefined ? 0 : countLines(file);
const broken = new Set(ways.split(","));
if (broken.has("once") && starts > 0)
  for (const way of ["mute", "brief", "deaf"]) broken.delete(way);
note(process.pid);

if (broken.has("stubborn")) {
  for (const signal of ["SIGTERM", "SIGHUP", "SIGINT"] as const) process.on(signal, () => {});
  setInterval(() => {}, 1_000);
}
if (broken.has("children")) {
  const script = "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000);";
  note(spawn(process.execPath, ["-e", script], { stdio: "ignore" }).pid ?? 0);
}
if (broken.has("detached")) {
  const script = "setInterval(() => {}, 1000)";
  note(spawn(process.execPath, ["-e", script], { stdio: "ignore", detached: true }).pid ?? 0);
}
if (broken.has("follows")) {
  const script = "process.stdin.resume().on('end', () => process.exit())";
  note(spawn(process.execPath, ["-e", script], { stdio: "pipe", detached: true }).pid ?? 0);
}
if (broken.has("brief")) setTimeout(() => process.exit(3), 200);

interface Message {
  readonly id?: number;
  readonly method: string;
  readonly params?: { readonly name?: string; readonly requestId?: number };
}

const cancelled: number[] = [];
const send = (message: object): boolean =>
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const says = (id: number | undefined, text: string): boolean =>
  send({ id, result: { content: [{ type: "text", text }] } });
const tools = ["pid", "echo", "crash", "hang", "late", "cancelled", "slow", "pings"].map(
  (name) => ({
    name,
    description: broken.has("renewed") && starts > 0 ? "Another one." : name,
    inputSchema: { type: "object" },
    annotations: { readOnlyHint: name !== "crash", destructiveHint: false },
  }),
);
let pings = 0;

if (!broken.has("mute")) {
  createInterface({ input: process.stdin }).on("line", (line) => {
    const { id, method, params } = JSON.parse(line) as Message;
    if (method === "initialize") {
      const capabilities = { tools: { listChanged: true } };
      const serverInfo = { name: "fragile", version: "1" };
      send({ id, result: { protocolVersion: "2025-06-18", capabilities, serverInfo } });
      if (broken.has("flood")) flood();
    } else if (method === "tools/list") {
      const gone = removed ? tools.filter(({ name }) => name !== "slow") : tools;
      send({ id, result: { tools: gone } });
    } else if (method === "tools/call") answer(id, params?.name);
    else if (method === "notifications/cancelled") cancelled.push(params?.requestId ?? -1);
    else if (method === "ping") {
      pings += 1;
      if (!broken.has("deaf")) send({ id, result: {} });
    } else if (id !== undefined) send({ id, error: { code: -32601, message: "Method not found" } });
  });
}

let removed = false;

function answer(id: number | undefined, name: string | undefined): void {
  switch (name) {
    case "pid":
      return void says(id, `${process.pid}`);
    case "echo":
      return void says(id, "echo");
    case "crash":
      writeSync(2, `the disk is full, ${process.env["DISK_TOKEN"]}`);
      process.exit(3);
    case "hang":
      return;
    case "late":
      return void setTimeout(() => says(id, "late"), 300);
    case "cancelled":
      return void says(id, JSON.stringify(cancelled));
    case "pings":
      return void says(id, `${pings}`);
    case "slow":
      removed = true;
      send({ method: "notifications/tools/list_changed" });
      return void setTimeout(() => says(id, "done"), 200);
    default:
      send({ id, error: { code: -32602, message: "There is no such tool." } });
  }
}

function flood(): void {
  for (let count = 0; count < 100; count += 1) send({ method: "notifications/tools/list_changed" });
  setTimeout(flood, 1);
}

function note(pid: number): void {
  if (file !== undefined) appendFileSync(file, `${pid}\n`);
}

function countLines(path: string): number {
  try {
    return readFileSync(path, "utf8").split("\n").length - 1;
  } catch {
    return 0;
  }
}
