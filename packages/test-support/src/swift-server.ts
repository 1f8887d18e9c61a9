import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort, startProgram, type TestServer } from "./postgres-server.ts";

/** An OpenStack Swift on loopback with the interface of S3. */
export interface SwiftServer extends TestServer {
  readonly region: "us-east-1";
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
}

const python = "/usr/bin/python3";
const program: string = join(import.meta.dirname, "swift-server.py");
const credentials = { accessKeyId: "test:tester", secretAccessKey: "testing" } as const;

/** Why Swift cannot be started; `undefined`: it can. */
export function swiftProblem(): string | undefined {
  const packages = "/usr/lib/python3/dist-packages/swift";
  const install =
    "apt-get install --no-install-recommends swift swift-proxy swift-account swift-container swift-object";
  if (!existsSync(join(packages, "obj")) || !existsSync(join(packages, "proxy"))) {
    return `OpenStack Swift is missing: ${install}`;
  }
  const check = "import os, sys; os.setxattr(sys.argv[1], 'user.toolweave', b'1')";
  const folder = mkdtempSync(join(tmpdir(), "toolweave-swift-"));
  const { status } = spawnSync(python, ["-c", check, folder]);
  rmSync(folder, { recursive: true });
  return status === 0 ? undefined : `The file system of ${tmpdir()} has no extended attributes`;
}

/**
 * Starts a Swift with ordinary files in a temporary folder. It ends with this process.
 *
 * @throws Error if it is not installed.
 */
export async function startSwift(): Promise<SwiftServer> {
  const problem = swiftProblem();
  if (problem !== undefined) throw new Error(problem);
  const folder = mkdtempSync(join(tmpdir(), "toolweave-swift-"));
  const remove = (): void => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  const port = await freePort();
  const { accessKeyId, secretAccessKey } = credentials;
  try {
    const { end } = await startProgram(
      [python, program, folder, String(port), accessKeyId, secretAccessKey],
      { account: {}, folder, ready: /^ready$/ },
    );
    const stop = async (): Promise<void> => {
      await end();
      remove();
    };
    return { url: `http://127.0.0.1:${port}`, port, region: "us-east-1", credentials, stop };
  } catch (error) {
    remove();
    throw error;
  }
}
