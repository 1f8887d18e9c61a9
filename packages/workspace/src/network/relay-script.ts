/** The port of the proxy, inside of a sandbox. */
export const relayPort = 3128;

/** Variables with which programs use the proxy. */
export const proxyEnvironment: Readonly<Record<string, string>> = Object.fromEntries(
  [
    "http_proxy",
    "https_proxy",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "npm_config_proxy",
    "npm_config_https_proxy",
  ].map((name) => [name, `http://127.0.0.1:${relayPort}`]),
);

/**
 * A script for Node.js that runs inside of a sandbox: it passes the connections to a port of this machine on over a pipe,
 * and runs a command. Its arguments: the descriptor of the pipe, the port, and the command.
 */
export function relayScript(): string {
  return `(${relay.toString()})();`;
}

/** Runs inside of the sandbox: it uses nothing of this module. */
function relay(): void {
  const net = process.getBuiltinModule("node:net");
  const http2 = process.getBuiltinModule("node:http2");
  const { spawn } = process.getBuiltinModule("node:child_process");
  const { constants } = process.getBuiltinModule("node:os");
  const [descriptor, port, program = "", ...args] = process.argv.slice(1);
  const pipe = new net.Socket({ fd: Number(descriptor), readable: true, writable: true });
  const session = http2.connect("http://proxy", { createConnection: () => pipe });
  session.on("error", () => {});
  const server = net.createServer({ allowHalfOpen: true }, (client) => {
    const stream = session.request({ ":method": "CONNECT", ":authority": "proxy" });
    client.on("error", () => stream.close());
    stream.on("error", () => client.destroy());
    client.pipe(stream);
    stream.pipe(client);
  });
  server.listen(Number(port), "127.0.0.1", () => {
    const child = spawn(program, args, { stdio: "inherit" });
    for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) {
      process.on(signal, () => child.kill(signal));
    }
    child.on("error", (error) => {
      process.stderr.write(`${error.message}\n`);
      process.exit(127);
    });
    child.on("exit", (code, signal) => {
      process.exit(code ?? 128 + (signal === null ? 0 : constants.signals[signal]));
    });
  });
}
