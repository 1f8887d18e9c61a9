import { spawn } from "node:child_process";
import { createSocket } from "node:dgram";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
  existsSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { OutputBuffer, toOutputText } from "../processes/output-buffer.ts";
import { runProcess } from "../processes/run-process.ts";
import { probeList, probeScript, type ProbeName } from "./probe-script.ts";
import type { Sandbox, SandboxView } from "./sandbox.ts";

/** The result of the probes of a sandbox. */
export interface ProbeReport {
  /** It starts, and no escape that it guarantees to prevent has succeeded. */
  readonly holds: boolean;
  /** The escapes that it guarantees to prevent, and that have succeeded. */
  readonly escaped: readonly ProbeName[];
  /** All escapes that have succeeded. */
  readonly open: readonly ProbeName[];
  /** Why the sandbox could not be started; undefined: it was. */
  readonly failure?: string;
  readonly durationMs: number;
}

const maxProbeMs = 10_000;

/** Bytes of the output, of which the beginning explains a failure, and the end is the answer. */
const maxFailure = 500;
const maxAnswer = 4_096;

/**
 * Tries to escape from a sandbox, in folders of its own.
 *
 * @param make a sandbox with this view of the file system.
 * @param guarantees the escapes that it has to prevent.
 */
export async function probeSandbox(
  make: (view: SandboxView) => Sandbox,
  guarantees: readonly ProbeName[] = probeList,
): Promise<ProbeReport> {
  const started = performance.now();
  const base = realpathSync(mkdtempSync(join(tmpdir(), "toolweave-probe-")));
  const canary = `canary-${process.pid}-${Math.random().toString(36).slice(2)}`;
  const workspace = join(base, "ws");
  const outside = join(base, "outside");
  mkdirSync(workspace);
  mkdirSync(outside);
  const protectedFile = join(workspace, "protected");
  const hiddenFile = join(workspace, "hidden");
  const outsideFile = join(outside, "file");
  const newFile = join(outside, "new");
  writeFileSync(protectedFile, "unchanged");
  writeFileSync(hiddenFile, canary);
  writeFileSync(outsideFile, canary);
  const arrived = { network: 0, datagram: 0, socket: 0 };
  const socketPath = join(outside, "socket");
  const tcp = createServer((socket) => {
    arrived.network += 1;
    socket.destroy();
  });
  const unix = createServer((socket) => {
    arrived.socket += 1;
    socket.destroy();
  });
  const hostCanary = `${canary}-host`;
  // Not a fraction of it is waited for: it ends with the probes.
  const hostArgument = `${maxProbeMs}.${process.pid}`;
  const host = spawn("sleep", [hostArgument], { env: { PROBE: hostCanary }, stdio: "ignore" });
  host.on("error", () => {});
  const udp = createSocket("udp4", () => (arrived.datagram += 1));
  const sandbox = make({
    roots: [{ path: workspace, access: "write" }],
    protectedPaths: [protectedFile],
    hiddenPaths: [hiddenFile],
    readPaths: [dirname(dirname(process.execPath))],
  });
  try {
    await new Promise<void>((resolve) => tcp.listen(0, "127.0.0.1", resolve));
    await new Promise<void>((resolve) => unix.listen(socketPath, resolve));
    const { port } = tcp.address() as { port: number };
    await new Promise<void>((resolve) => udp.bind(port, "127.0.0.1", resolve));
    const script = probeScript({
      outsideFile,
      newFile,
      workspace,
      protectedFile,
      hiddenFile,
      hostPid: host.pid ?? process.pid,
      hostArgument,
      hostCanary,
      port,
      socketPath,
      canary,
    });
    const callId = `probe-${process.pid}`;
    const prepared = await sandbox.prepare({
      argv: [process.execPath, "-e", script],
      cwd: workspace,
      env: { PATH: "/usr/bin:/bin", TOOLWEAVE_CALL: callId },
    });
    const output = new OutputBuffer(maxFailure, maxAnswer);
    const running = runProcess({
      ...prepared,
      callId,
      timeoutMs: maxProbeMs,
      signal: new AbortController().signal,
      keepSurvivors: true,
      onOutput: (chunk) => output.add(chunk),
    });
    const { exitCode } = await running;
    const { head, tail } = output.parts;
    const text = toOutputText(Buffer.concat([head, tail]));
    const answer = /\[[^\]]*\]$/.exec(text)?.[0];
    if (exitCode !== 0 || answer === undefined) {
      return {
        holds: false,
        escaped: [],
        open: [],
        failure: text.trim().slice(0, maxFailure) || `it ended with ${exitCode}`,
        durationMs: performance.now() - started,
      };
    }
    const escaped = new Set(JSON.parse(answer) as ProbeName[]);
    if (existsSync(newFile)) escaped.add("write outside");
    if (readFileSync(protectedFile, "utf8") !== "unchanged") escaped.add("protected file");
    if (arrived.network > 0) escaped.add("network");
    if (arrived.datagram > 0) escaped.add("datagram");
    if (arrived.socket > 0) escaped.add("unix socket");
    if (await survives(`PROBE=${canary}\0`, guarantees.includes("survivor")))
      escaped.add("survivor");
    const broken = guarantees.filter((name) => escaped.has(name));
    return {
      holds: broken.length === 0,
      escaped: broken,
      open: probeList.filter((name) => escaped.has(name)),
      durationMs: performance.now() - started,
    };
  } catch (error) {
    return {
      holds: false,
      escaped: [],
      open: [],
      failure: (error as Error).message,
      durationMs: performance.now() - started,
    };
  } finally {
    host.kill("SIGKILL");
    tcp.close();
    unix.close();
    udp.close();
    await sandbox.close?.();
    rmSync(base, { recursive: true, force: true });
  }
}

/** Time for the kernel to end the processes of a namespace whose first process has ended. */
const maxEndMs = 1_000;

/** Whether processes with a text in their environment stay. Those that do are killed. */
async function survives(text: string, waits: boolean): Promise<boolean> {
  const deadline = performance.now() + (waits ? maxEndMs : 0);
  let found = findMarked(text);
  while (found.length > 0 && performance.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, 10));
    found = findMarked(text);
  }
  for (const pid of found) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It has ended.
    }
  }
  return found.length > 0;
}

function findMarked(text: string): readonly number[] {
  return readdirSync("/proc").flatMap((name) => {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) return [];
    try {
      return `${readFileSync(`/proc/${name}/environ`, "utf8")}\0`.includes(text)
        ? [Number(name)]
        : [];
    } catch {
      return [];
    }
  });
}
