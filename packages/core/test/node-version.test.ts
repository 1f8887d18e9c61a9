import { expect, test } from "vitest";
import { nodeProblem } from "../src/node-version.ts";

const node = (version: string, userAgent?: string): object => ({
  process: { versions: { node: version } },
  ...(userAgent === undefined ? {} : { navigator: { userAgent } }),
});

test.each([
  ["20.20.2", undefined],
  ["22.0.0", "Node.js/22"],
  ["22.18.0", "Node.js/22"],
])("Node.js %s is refused, and the text names both versions", (version, userAgent) => {
  expect(nodeProblem(node(version, userAgent))).toBe(
    `Toolweave needs Node.js 22.19 or newer, but this is Node.js ${version}: install a newer version.`,
  );
});

test.each([
  ["Node.js 22.19", node("22.19.0", "Node.js/22")],
  ["Node.js 24", node("24.21.0", "Node.js/24")],
  ["a browser", { navigator: { userAgent: "Mozilla/5.0" } }],
  ["a worker that is compatible with Node.js 22.14", node("22.14.0", "Cloudflare-Workers")],
  ["Deno", node("20.11.1", "Deno/2.0.0")],
  ["a runtime without any of this", {}],
])("%s is accepted", (_name, runtime) => {
  expect(nodeProblem(runtime)).toBeUndefined();
});
