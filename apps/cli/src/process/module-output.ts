import { Console } from "node:console";
import { syncBuiltinESMExports } from "node:module";

/**
 * Sends what the user's modules print to stderr: stdout has the result of the command, or the messages of a server. The
 * streams that a caller took from `process` before are not changed. Node's advice on the package.json of a module is
 * omitted: the module works. Warnings of Toolweave are printed as messages of the command.
 */
export function redirectModuleOutput(): void {
  const { stderr } = process;
  Object.defineProperty(process, "stdout", { value: stderr, configurable: true });
  syncBuiltinESMExports();
  // The global console may have its streams already.
  const { Console: _, ...methods } = new Console(stderr, stderr);
  Object.assign(console, methods);
  const listeners = process.listeners("warning");
  process.removeAllListeners("warning");
  process.on("warning", (warning: NodeJS.ErrnoException) => {
    if (warning.code === "MODULE_TYPELESS_PACKAGE_JSON") return;
    if (warning.code?.startsWith("TOOLWEAVE_") === true) {
      stderr.write(`toolweave: ${warning.message.replaceAll("\n", "\n  ")}\n`);
    } else {
      for (const listener of listeners) listener(warning);
    }
  });
}
