import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { conformance, type Manifest } from "@toolweave/conformance/vitest";
import { filter, prefix } from "@toolweave/core";
import { afterAll, beforeAll } from "vitest";
import { mcpSource } from "../src/index.ts";
import { httpLibrary, type HttpLibrary } from "./support/http-library.ts";
import { libraryServer } from "./support/servers.ts";

const folder = mkdtempSync(join(tmpdir(), "toolweave-mcp-"));
const file = join(folder, "added");
writeFileSync(file, "");
afterAll(() => rmSync(folder, { recursive: true }));

const token = "t0ken-that-never-comes-out";

const added = (): string[] => readFileSync(file, "utf8").split("\n").slice(0, -1);

function manifest(
  name: string,
  create: Manifest["create"],
  named: (tool: string) => string,
  { without, ...outage }: Pick<Manifest, "outage"> & { without?: { outage: string } },
): Manifest {
  return {
    name,
    create,
    samples: {
      succeedingCalls: [
        { tool: named("get_book"), arguments: { id: 1 } },
        { tool: named("show_cover"), arguments: {} },
        { tool: named("show_environment"), arguments: {} },
      ],
      failingCalls: [{ tool: named("get_book"), arguments: { id: 7 } }],
      slowCalls: [{ tool: named("take_inventory"), arguments: {} }],
      effectCalls: [
        {
          tool: named("add-book"),
          arguments: { title: "Persuasion", file },
          count: () => added().length,
        },
      ],
      updatingCalls: [{ tool: named("bind_book"), arguments: { id: 1 } }],
      largeCalls: [{ tool: named("read_book"), arguments: {}, bytes: 380_000 }],
    },
    generatedCalls: [named("get_book"), named("bind_book"), named("show_cover")],
    state: added,
    secrets: [token],
    change: async (source) => {
      const reorganise = source.tools().find(({ spec }) => spec.name === named("reorganise"));
      await reorganise?.invoke({}, {
        signal: new AbortController().signal,
        progress() {},
      } as never);
    },
    ...outage,
    without: { suspendingCalls: "elicitation is not supported yet", ...without },
  };
}

conformance(
  manifest(
    "an MCP server over stdio",
    () =>
      mcpSource({
        ...libraryServer,
        env: { ...libraryServer.env, LIBRARY_TOKEN: token },
      }),
    (tool) => `library__${tool}`,
    { without: { outage: "a server that ends is not started again yet" } },
  ),
);

let served: HttpLibrary;
let libraries = 0;
beforeAll(async () => {
  served = await httpLibrary();
});
afterAll(() => served.close());

conformance(
  manifest(
    "an MCP server over HTTP with a prefix and a filter",
    () =>
      prefix(
        filter(
          mcpSource({
            name: "library",
            url: `${served.url}/${(libraries += 1)}`,
            headers: { authorization: `Bearer ${token}` },
          }),
          ({ spec }) => spec.name !== "library__leave",
        ),
        "town",
      ),
    (tool) => `town__library__${tool}`,
    { outage: { begin: () => served.pause(), end: () => served.resume() } },
  ),
);
