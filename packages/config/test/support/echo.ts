import { fileURLToPath } from "node:url";
import { ToolExecutor, type JsonObject } from "@toolweave/core";
import { loadConfig, type LoadConfigOptions, type LoadedConfig } from "@toolweave/config";
import { onTestFinished } from "vitest";

const script = fileURLToPath(new URL("echo-server.mjs", import.meta.url));

/** The declaration of a server that returns its arguments and environment. */
export const echo: { readonly command: string; readonly args: readonly string[] } = {
  command: process.execPath,
  args: [script],
};

/** The configuration, loaded and closed with the test. */
export async function loaded(
  input: string | URL | object,
  options: LoadConfigOptions = {},
): Promise<LoadedConfig> {
  const config = await loadConfig(input, options);
  onTestFinished(() => config.close());
  await config.registry.ready;
  return config;
}

/** The arguments and environment of a server of `echo`. */
export async function startedWith(
  { registry, executorOptions }: LoadedConfig,
  server: string,
): Promise<JsonObject> {
  const executor = new ToolExecutor({
    registry,
    ...executorOptions,
    onAsk: () => ({ approved: true }),
  });
  const name = `${server}__started_with`;
  const outcome = await executor.execute({ id: "call_1", name, arguments: {} });
  if (outcome.status === "interrupted") throw new Error("interrupted");
  const [block] = outcome.result.content;
  if (outcome.status === "failed" || block?.type !== "text")
    throw new Error(JSON.stringify(outcome));
  return JSON.parse(block.text) as JsonObject;
}

/** The error of a refused configuration. */
export async function refusal(
  input: string | URL | object,
  options?: LoadConfigOptions,
): Promise<string> {
  try {
    const config = await loadConfig(input, options);
    await config.close();
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error("It was not refused.");
}
