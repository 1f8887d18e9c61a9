import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { hasRedis, startRedis } from "@toolweave/test-support/redis-server";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const worker = fileURLToPath(new URL("../src/worker.ts", import.meta.url));

describe.skipIf(!hasRedis())("a durable agent on BullMQ (needs redis-server)", () => {
  const folder = mkdtempSync(join(tmpdir(), "toolweave-bullmq-"));
  const payments = join(folder, "payments.txt");
  let redis: Awaited<ReturnType<typeof startRedis>>;
  const workers: ChildProcess[] = [];

  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(async () => {
    for (const child of workers) child.kill("SIGKILL");
    await redis?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  function startWorker(env: Readonly<Record<string, string>>, run = "bill_1"): ChildProcess {
    const args = [
      "--conditions=@toolweave/source",
      "--disable-warning=ExperimentalWarning",
      worker,
    ];
    const store = join(folder, "store.db");
    const child = spawn(process.execPath, [...args, redis.url, store, payments, run], {
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

  test("the id of a run can be a number, which BullMQ refuses for a job", async () => {
    rmSync(payments);
    expect(await firstLine(startWorker({}, "42"))).toBe("Paid.");
    expect(readFileSync(payments, "utf8")).toBe("paid\n");
  });
});
