/**
 * The effects of tools, kept by a process of their own: an HTTP server with an append-only log. It answers with the
 * number of the effect, but for the numbers in its third argument: then it prints `hold`, and answers when it reads a
 * line, so that the test can end or pause the process that waits. `GET /NAME` answers whether there was an effect of that name.
 *
 * Arguments: the file of the log, the address to listen on, the numbers as JSON.
 */
import { appendFileSync } from "node:fs";
import { createServer } from "node:http";

const [file = "", host = "127.0.0.1", held = "[]"] = process.argv.slice(2);
const numbers = new Set(JSON.parse(held) as number[]);
let effects = 0;

const waiting: (() => void)[] = [];
const names = new Set<string>();

const server = createServer((request, response) => {
  if (request.method === "GET") {
    const name = decodeURIComponent(request.url ?? "").slice(1);
    response.end(names.has(name) ? "done" : "not done");
    return;
  }
  let body = "";
  request.on("data", (chunk) => (body += String(chunk)));
  request.on("end", () => {
    const record = JSON.parse(body) as { kind: string; machine: string; name: string };
    appendFileSync(file, `${body}\n`);
    if (record.kind === "effect") {
      names.add(record.name);
      effects += 1;
      if (numbers.has(effects)) {
        process.stdout.write(`hold ${record.machine}\n`);
        waiting.push(() => response.end(String(effects)));
        return;
      }
    }
    response.end(String(effects));
  });
});
server.listen(0, host, () => {
  const address = server.address();
  process.stdout.write(`port ${typeof address === "object" ? address?.port : ""}\n`);
});
// A line answers what was held.
process.stdin.on("data", () => waiting.splice(0).forEach((answer) => answer()));
process.stdin.on("end", () => process.exit());
