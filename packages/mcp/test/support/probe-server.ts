import { createInterface } from "node:readline";

/**
 * A server that responds to unknown requests in the unusual way that its first argument names, and
 * only supports the older protocol before `initialize`.
 */
const way = process.argv[2] ?? "";

interface Message {
  readonly id?: number | string;
  readonly method: string;
}

const line = (text: string): boolean =>
  process.stdout.write(`${text}\n`, way === "utf16" ? "utf16le" : "utf8");
const mark = way === "bom" ? "\uFEFF" : "";
const send = (message: Readonly<Record<string, unknown>>): boolean => {
  const id = way === "text_ids" ? { id: String(message["id"]) } : {};
  return line(`${mark}${JSON.stringify({ jsonrpc: "2.0", ...message, ...id })}`);
};
const serverInfo = { name: "probe", version: "1" };

if (way === "exits") {
  process.stderr.write("usage: probe --library <folder>\n");
  process.exit(64);
}
if (way === "hangs") setInterval(() => {}, 1_000);
else createInterface({ input: process.stdin }).on("line", (text) => take(JSON.parse(text)));

/**
 * It supports the newer protocol only, prints a line first, and starts later than the probe waits.
 */
if (way === "slow") {
  line("Starting…");
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2_500);
}

function take({ id, method }: Message): void {
  if (way === "slow") {
    const capabilities = { tools: {} };
    const supportedVersions = ["2026-07-28"];
    const result = { resultType: "complete", supportedVersions, capabilities, serverInfo };
    const error = { code: -32_022, message: "Only 2026-07-28 is spoken here" };
    send({ id, ...(method === "server/discover" ? { result } : { error }) });
  } else if (method === "initialize") {
    const protocolVersion = "2025-06-18";
    send({ id, result: { protocolVersion, capabilities: { tools: {} }, serverInfo } });
  } else if (method === "tools/list") send({ id, result: { tools: [] } });
  else if (id === undefined || way === "silent") return;
  else if (way === "exits_when_asked") process.exit(1);
  else if (way === "garbage") line("Unknown method");
  else if (way === "null_id") send({ id: null, error: { code: -32_700, message: "Parse error" } });
  else if (way === "quiet" && method === "ping") send({ id, result: {} });
  else if (["refuses", "bom", "text_ids", "utf16"].includes(way))
    send({ id, error: { code: -32_601, message: "Method not found" } });
}
