/**
 * The names of the escapes that are tried, with what a sandbox that holds guarantees.
 */
const probeNames = {
  "write outside": "Nothing is written outside of the writable roots.",
  "read outside": "Files outside of the roots are not visible.",
  "link to outside": "A symbolic link leads to nothing outside.",
  "hard link to outside": "No hard link is made to a file outside.",
  remount: "No file system is mounted again with other rights.",
  namespace: "No new user namespace is made.",
  "host process": "Processes of the host are not visible.",
  signal: "Processes of the host get no signals.",
  "host environment": "The environment of the host is not visible.",
  network: "No host is reached, not even this machine.",
  datagram: "No datagram is sent.",
  "unix socket": "No socket of the host is reached.",
  "protected file": "Protected files are not changed.",
  "hidden file": "Hidden files are empty.",
  survivor: "No process survives the command, not even in a session of its own.",
  descriptor: "No descriptor of the host is open.",
} as const;

/** The name of a probe. */
export type ProbeName = keyof typeof probeNames;

/** The names of all probes. */
export const probeList = Object.keys(probeNames) as readonly ProbeName[];

/** The things outside that the script tries to reach. */
export interface ProbeTargets {
  readonly outsideFile: string;
  readonly newFile: string;
  readonly workspace: string;
  readonly protectedFile: string;
  readonly hiddenFile: string;
  /** A process of the host, an argument of it, and a text that is in its environment. */
  readonly hostPid: number;
  readonly hostArgument: string;
  readonly hostCanary: string;
  readonly port: number;
  readonly socketPath: string;
  /** A text that is in the file outside, and in the hidden file. */
  readonly canary: string;
}

/**
 * A script for Node.js that tries to escape. It prints the names of the escapes that succeeded, as JSON. Some of them
 * are only seen from outside.
 */
export function probeScript(targets: ProbeTargets): string {
  return `(${escape.toString()})(${JSON.stringify(targets)});`;
}

/** Runs inside of the sandbox: it uses nothing of this module. */
async function escape(targets: ProbeTargets): Promise<void> {
  const fs = process.getBuiltinModule("node:fs");
  const net = process.getBuiltinModule("node:net");
  const { spawn, spawnSync } = process.getBuiltinModule("node:child_process");
  const { createSocket } = process.getBuiltinModule("node:dgram");
  const escaped: string[] = [];
  const attempt = (name: string, work: () => boolean): void => {
    try {
      if (work()) escaped.push(name);
    } catch {
      // It was refused.
    }
  };
  const {
    outsideFile,
    newFile,
    workspace,
    protectedFile,
    hiddenFile,
    hostPid,
    hostArgument,
    hostCanary,
    port,
    socketPath,
    canary,
  } = targets;
  const read = (path: string): boolean => fs.readFileSync(path, "utf8").includes(canary);
  attempt("write outside", () => {
    fs.writeFileSync(newFile, "escaped");
    return false;
  });
  attempt("read outside", () => read(outsideFile));
  attempt("link to outside", () => {
    fs.symlinkSync(outsideFile, `${workspace}/probe-link`);
    return read(`${workspace}/probe-link`);
  });
  attempt("hard link to outside", () => {
    fs.linkSync(outsideFile, `${workspace}/probe-hard`);
    return read(`${workspace}/probe-hard`);
  });
  for (const path of ["/", "/usr"]) {
    attempt("remount", () => {
      if (spawnSync("mount", ["-o", "remount,rw,bind", path]).status !== 0) return false;
      fs.writeFileSync(newFile, "escaped");
      return true;
    });
  }
  attempt("namespace", () => spawnSync("unshare", ["-Ur", "true"]).status === 0);
  const isHostProcess = (): boolean =>
    fs.readFileSync(`/proc/${hostPid}/cmdline`, "utf8").includes(hostArgument);
  attempt("host process", isHostProcess);
  // A process of this number is not that of the host, if namespaces separate them.
  attempt("signal", () => isHostProcess() && process.kill(hostPid, 0));
  attempt("host environment", () =>
    fs.readdirSync("/proc").some((pid) => {
      try {
        return fs.readFileSync(`/proc/${pid}/environ`, "utf8").includes(hostCanary);
      } catch {
        return false;
      }
    }),
  );
  attempt("protected file", () => {
    fs.writeFileSync(protectedFile, "escaped");
    return true;
  });
  attempt("hidden file", () => read(hiddenFile));
  attempt("descriptor", () =>
    fs.readdirSync("/proc/self/fd").some((fd) => {
      try {
        return (
          fs.readlinkSync(`/proc/self/fd/${fd}`).startsWith("/") &&
          Number(fd) > 2 &&
          fs.readlinkSync(`/proc/self/fd/${fd}`).includes("toolweave")
        );
      } catch {
        return false;
      }
    }),
  );
  const connects = (options: object): Promise<boolean> =>
    new Promise((resolve) => {
      const socket = net.connect(options as never, () => resolve(true));
      socket.on("error", () => resolve(false));
      setTimeout(() => resolve(false), 500).unref();
    });
  if (await connects({ host: "127.0.0.1", port })) escaped.push("network");
  if (await connects({ path: socketPath })) escaped.push("unix socket");
  const sent = await new Promise<boolean>((resolve) => {
    const socket = createSocket("udp4");
    socket.on("error", () => resolve(false));
    socket.send("escaped", port, "127.0.0.1", () => {});
    // Loopback of the own namespace accepts datagrams; only the host knows whether one has come.
    setTimeout(() => {
      socket.close();
      resolve(false);
    }, 50);
  });
  if (sent) escaped.push("datagram");
  // It would remove its mark from the environment, and leave the group.
  spawn("setsid", ["sleep", "30"], {
    detached: true,
    stdio: "ignore",
    env: { PATH: process.env["PATH"] ?? "", PROBE: canary },
  }).unref();
  process.stdout.write(JSON.stringify(escaped));
  process.exit(0);
}
