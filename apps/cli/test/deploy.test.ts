import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { loadConfig } from "@toolweave/config";
import { load } from "js-yaml";
import { expect, onTestFinished, test } from "vitest";
import { runCli } from "../src/program.ts";
import { captureIo } from "./support/captured-io.ts";
import { runCommand } from "./support/run-cli.ts";

const folder = join(import.meta.dirname, "../../../deploy");
const read = (name: string): string => readFileSync(join(folder, name), "utf8");

interface Service {
  readonly image?: string;
  readonly build?: { readonly context: string; readonly dockerfile: string };
  readonly env_file?: string;
  readonly volumes?: readonly string[];
  readonly networks: readonly string[];
  readonly ports?: readonly string[];
  readonly stop_grace_period?: string;
}

const compose = load(read("compose.yaml")) as {
  readonly services: Readonly<Record<"gateway" | "postgres" | "balancer", Service>>;
  readonly networks: Readonly<Record<string, unknown>>;
  readonly volumes: Readonly<Record<string, unknown>>;
};
const services = Object.values(compose.services);

/** The variables of a file of the environment, commented ones too. */
const variablesIn = (text: string): readonly string[] =>
  [...text.matchAll(/^(?:# )?([A-Z][A-Z0-9_]*)=/gm)].map(([, name = ""]) => name);

/** The words of an instruction of the Dockerfile that is written as JSON. */
function instruction(name: string): readonly string[] {
  const lines = [...read("Dockerfile").matchAll(new RegExp(`^${name} (\\[.*\\])$`, "gm"))];
  return JSON.parse(lines.at(-1)?.[1] ?? "[]") as readonly string[];
}

test("the files that the Compose file names exist, and those with secrets have an example", () => {
  const mounted = services.flatMap(({ volumes = [] }) =>
    volumes.filter((one) => one.startsWith("./")).map((one) => one.split(":")[0] ?? ""),
  );
  expect(mounted.length).toBeGreaterThan(0);
  const secret = services.flatMap(({ env_file: name }) =>
    name === undefined ? [] : [`${name}.example`],
  );
  expect([...mounted, ...secret].filter((name) => !existsSync(join(folder, name)))).toEqual([]);
  const { build } = compose.services.gateway;
  expect(existsSync(join(folder, build?.context ?? "", build?.dockerfile ?? ""))).toBe(true);
});

test("only the balancer is reachable from outside, on this machine alone, and nothing but it and the gateways reaches a gateway", () => {
  expect(compose.services.balancer.ports).toEqual(["127.0.0.1:8137:8137"]);
  expect(compose.services.gateway.ports ?? compose.services.postgres.ports).toBeUndefined();
  expect(compose.services.gateway.networks).toEqual(["internal"]);
  for (const { networks } of services) {
    for (const name of networks) expect(compose.networks).toHaveProperty(name);
  }
});

test("the example files have no secret, and every variable of a gateway is one that it reads", () => {
  expect(read("gateway.env.example")).toMatch(/^GATEWAY_TOKEN=$/m);
  expect(read("gateway.env.example")).toMatch(/^TOOLWEAVE_KEY=$/m);
  expect(read("postgres.env.example")).toMatch(/^POSTGRES_PASSWORD=$/m);
  const sources = ["store", "commands/serve"].flatMap((name) => {
    const parent = join(import.meta.dirname, "../src", name);
    return readdirSync(parent).map((file) => readFileSync(join(parent, file), "utf8"));
  });
  const command = instruction("CMD");
  const token = command[command.indexOf("--token-env") + 1];
  const unread = variablesIn(read("gateway.env.example")).filter(
    (name) => name !== token && !sources.some((text) => text.includes(name)),
  );
  expect(unread).toEqual([]);
});

test("every option of the image's command exists, and the command is the program's", async () => {
  const [name = "", ...rest] = instruction("CMD");
  const { stdout } = await runCommand([name, "--help"]);
  const flags = rest.filter((word) => word.startsWith("--"));
  expect(flags.length).toBeGreaterThan(0);
  for (const flag of flags) expect(stdout).toContain(flag);
  const manifest = JSON.parse(
    readFileSync(join(import.meta.dirname, "../package.json"), "utf8"),
  ) as { readonly name: string; readonly bin: Readonly<Record<string, string>> };
  const [, main = ""] = instruction("ENTRYPOINT");
  expect(main).toBe(
    join("/app/node_modules", manifest.name, manifest.bin["toolweave"] ?? "").replaceAll("\\", "/"),
  );
});

test("the configuration is valid, and its grace periods are shorter than that of Compose", async () => {
  const config = await loadConfig(join(folder, "toolweave.json"), { env: { HOSTNAME: "one" } });
  onTestFinished(() => config.close());
  expect(config.warnings).toEqual([]);
  expect(config.serve?.replica?.url).toBe("http://one:8137/mcp");
  const stopMs =
    Number(/^(\d+)s$/.exec(compose.services.gateway.stop_grace_period ?? "")?.[1]) * 1000;
  const defaultGraceMs = 5_000;
  expect(stopMs).toBeGreaterThan(
    (config.serve?.replica?.drainDelayMs ?? 0) + defaultGraceMs + 2_000,
  );
});

test("a gateway with this configuration answers the health checks of the image and of the balancer", async () => {
  const { io, said, stderr, interrupt } = captureIo({ env: { HOSTNAME: "127.0.0.1" } });
  const config = join(folder, "toolweave.json");
  const ended = runCli(["serve", "--http", "127.0.0.1:0", "--config", config, "--grace", "0"], io);
  await said("Serving");
  const url = /, at (http:\S+)/.exec(stderr())?.[1] ?? "";
  const image = /127\.0\.0\.1:8137(\/\w+)/.exec(read("Dockerfile"))?.[1] ?? "";
  const balancer = /httpchk GET (\/\w+)/.exec(read("haproxy.cfg"))?.[1] ?? "";
  for (const path of [image, balancer]) {
    expect([path, (await fetch(new URL(path, url))).status]).toEqual([path, 200]);
  }
  interrupt.abort();
  expect(await ended).toBe(0);
});
