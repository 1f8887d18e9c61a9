import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const here = (file: string): string => fileURLToPath(new URL(file, import.meta.url));
const flags = ["--conditions=@toolweave/source", "--disable-warning=ExperimentalWarning"];

/** A process of Node.js that ends with this one. */
export interface NodeProcess {
  /** Its lines on standard output. */
  readonly lines: AsyncIterableIterator<string>;
  kill(): Promise<void>;
  pause(): void;
  /** Continues after `pause`. */
  wake(): void;
  /** Writes a line to its input. */
  write(line: string): void;
}

/** Starts a script of this folder; in a network namespace, if one is named. */
export function startNode(
  script: string,
  args: readonly string[],
  namespace?: string,
): NodeProcess {
  const inside = namespace === undefined ? [] : ["ip", "netns", "exec", namespace];
  const [command = "", ...rest] = [...inside, process.execPath, ...flags, here(script), ...args];
  const child: ChildProcess = spawn(command, rest, { stdio: ["pipe", "pipe", "inherit"] });
  const ended = once(child, "exit");
  if (child.stdout === null) throw new Error("the process has no output");
  return {
    lines: createInterface({ input: child.stdout })[Symbol.asyncIterator](),
    pause: () => void child.kill("SIGSTOP"),
    wake: () => void child.kill("SIGCONT"),
    write: (line) => void child.stdin?.write(`${line}\n`),
    kill: async () => {
      child.kill("SIGKILL");
      await ended;
    },
  };
}

/** The next line of a process that begins with a word; without the word. */
export async function nextLine({ lines }: NodeProcess, word: string): Promise<string> {
  for (;;) {
    const { value, done } = await lines.next();
    if (done === true) throw new Error(`a process ended before it printed ${word}`);
    if (String(value).startsWith(word)) return String(value).slice(word.length + 1);
  }
}

/** The address of a machine, and of this host for it. */
export interface Machine {
  readonly name: string;
  readonly namespace: string | undefined;
  readonly address: string;
  readonly host: string;
}

/** Machines on loopback, without a network of their own. */
export function localMachines(count: number): readonly Machine[] {
  return Array.from({ length: count }, (_, index) => ({
    name: `m${index}`,
    namespace: undefined,
    address: "127.0.0.1",
    host: "127.0.0.1",
  }));
}

/** Why there can be no network namespaces here; `undefined`: there can. */
export function namespaceProblem(): string | undefined {
  if (process.platform !== "linux" || process.getuid?.() !== 0) {
    return "network namespaces need Linux and root";
  }
  const name = `tw-probe-${process.pid}`;
  const made = spawnSync("ip", ["netns", "add", name], { encoding: "utf8" });
  if (made.error !== undefined) return "ip is missing: apt-get install iproute2";
  if (made.status !== 0) return `network namespaces are not allowed: ${made.stderr.trim()}`;
  const link = spawnSync(
    "ip",
    ["link", "add", `twp${process.pid}`, "type", "veth", "peer", "name", "eth0", "netns", name],
    { encoding: "utf8" },
  );
  spawnSync("ip", ["netns", "delete", name]);
  return link.status === 0 ? undefined : `there is no veth: ${link.stderr.trim()}`;
}

/** Machines in network namespaces of their own, each connected to this host. Remove them with the result. */
export function separateMachines(count: number): {
  readonly machines: readonly Machine[];
  readonly subnet: string;
  readonly remove: () => Promise<void>;
} {
  const net = `10.${100 + (process.pid % 100)}`;
  const ip = (...args: string[]): void => {
    const { status, stderr } = spawnSync("ip", args, { encoding: "utf8" });
    if (status !== 0) throw new Error(`ip ${args.join(" ")}: ${stderr}`);
  };
  const names = Array.from({ length: count }, (_, index) => `tw${process.pid}-${index}`);
  // Removes them at the end of its input, which is also the end of this process.
  const script = 'read -r _; for name; do ip netns delete "$name"; done';
  let remover: ChildProcess | undefined;
  const remove = async (): Promise<void> => {
    if (remover === undefined) return;
    const removed = once(remover, "exit");
    remover.stdin?.end();
    await removed;
  };
  try {
    remover = spawn("/bin/sh", ["-c", script, "sh", ...names], {
      stdio: ["pipe", "ignore", "ignore"],
    });
    const machines = Array.from({ length: count }, (_, index): Machine => {
      const namespace = names[index] ?? "";
      const link = namespace;
      ip("netns", "add", namespace);
      ip("link", "add", link, "type", "veth", "peer", "name", "eth0", "netns", namespace);
      ip("addr", "add", `${net}.${index}.1/24`, "dev", link);
      ip("link", "set", link, "up");
      ip("-n", namespace, "addr", "add", `${net}.${index}.2/24`, "dev", "eth0");
      ip("-n", namespace, "link", "set", "eth0", "up");
      ip("-n", namespace, "link", "set", "lo", "up");
      const address = `${net}.${index}.2`;
      return { name: `m${index}`, namespace, address, host: `${net}.${index}.1` };
    });
    return { machines, subnet: `${net}.0.0/16`, remove };
  } catch (error) {
    void remove();
    throw error;
  }
}

/** One line of the log of effects. */
export interface EffectRecord {
  readonly kind: "effect" | "turn";
  readonly name: string;
  readonly machine: string;
}

/** The server that keeps the effects. */
export interface EffectsServer {
  readonly port: number;
  readonly process: NodeProcess;
  log(): readonly EffectRecord[];
  stop(): Promise<void>;
}

/** Starts it. It does not answer the effects with the numbers in `held`. */
export async function startEffects(held: readonly number[]): Promise<EffectsServer> {
  const folder = mkdtempSync(join(tmpdir(), "toolweave-effects-"));
  const file = join(folder, "log.jsonl");
  const process = startNode("effects-server.ts", [file, "0.0.0.0", JSON.stringify(held)]);
  const port = Number(await nextLine(process, "port"));
  return {
    port,
    process,
    log: () =>
      readFileSync(file, "utf8")
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => JSON.parse(line) as EffectRecord),
    stop: async () => {
      await process.kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
