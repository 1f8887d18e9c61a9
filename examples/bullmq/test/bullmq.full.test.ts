import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const isMissing = spawnSync("redis-server", ["--version"]).status !== 0;
const worker = fileURLToPath(new URL("../src/worker.ts", import.meta.url));

describe.skipIf(isMissing)("a durable agent on BullMQ (needs redis-server)", () => {
  const folder = mkdtempSync(join(tmpdir(), "toolweave-bullmq-"));
  const payments = join(folder, "payments.txt");
  let redis: ChildProcess;
  let url: string;
  const workers: ChildProcess[] = [];

  beforeAll(async () => {
    const port = await freePort();
    redis = spawn("redis-server", ["--port", String(port), "--save", "", "--dir", folder], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    for await (const line of createInterface({ input: redis.stdout as NodeJS.ReadableStream })) {
      if (line.includes("Ready to accept connections")) break;
    }
    url = `redis://127.0.0.1:${port}`;
  });
  afterAll(async () => {
    for (const child of workers) child.kill("SIGKILL");
    const ended = once(redis, "exit");
    redis.kill("SIGKILL");
    await ended;
    rmSync(folder, { recursive: true, force: true });
  });

  function startWorker(env: Readonly<Record<string, string>>): ChildProcess {
    const args = [
      "--conditions=@toolweave/source",
      "--disable-warning=ExperimentalWarning",
      worker,
    ];
    const store = join(folder, "store.db");
    const child = spawn(process.execPath, [...args, url, store, payments, "bill_1"], {
      stdio: ["ignore", "pipe", "inherit"],
      env: { ...process.env, ...env },
    });
    workers.push(child);
    return child;
  }

  async function firstLine({ stdout }: ChildProcess): Promise<string> {
    const [line] = (await once(
      createInterface({ input: stdout as NodeJS.ReadableStream }),
      "line",
    )) as [string];
    return line;
  }

  test("pays once when its worker is killed in the payment, and the model reads that the outcome is unknown", async () => {
    const first = startWorker({ CRASH: "1" });
    expect(await firstLine(first)).toBe("paying");
    first.kill("SIGKILL");
    expect(await firstLine(startWorker({}))).toBe("Please check the bill.");
    expect(readFileSync(payments, "utf8")).toBe("paid\n");
  });
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
