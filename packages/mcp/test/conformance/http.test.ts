import { conformance } from "@toolweave/conformance/vitest";
import { filter, prefix } from "@toolweave/core";
import { afterAll, beforeAll } from "vitest";
import { mcpSource, type McpSource } from "../../src/index.ts";
import {
  conformingLibrary,
  LibraryFolder,
  libraryToken,
  transportRules,
} from "../support/conforming-library.ts";
import { httpLibrary, type HttpLibrary } from "../support/http-library.ts";

const folder = new LibraryFolder();
let served: HttpLibrary;
let libraries = 0;
beforeAll(async () => {
  served = await httpLibrary();
});
afterAll(() => served.close());

const outage = { begin: () => served.pause(), end: () => served.resume() };

function libraryAt(path = ""): McpSource {
  return mcpSource({
    name: "library",
    url: `${served.url}/${(libraries += 1)}${path}`,
    headers: { authorization: `Bearer ${libraryToken}` },
    // Each source has its own library, and all of them are the same program.
    declaration: "library",
  });
}

conformance(
  conformingLibrary({
    name: "an MCP server over HTTP with a prefix and a filter",
    waits: folder.borrowing("town__library__lend_book"),
    folder,
    create: () =>
      prefix(
        filter(libraryAt(), ({ spec }) => spec.name !== "library__leave"),
        "town",
      ),
    named: (tool) => `town__library__${tool}`,
    outage,
  }),
);

conformance(
  conformingLibrary({
    name: "an MCP server of the older protocol over HTTP, with sessions",
    waits: folder.paying("library__pay_fine"),
    folder,
    create: () => libraryAt("/sessions"),
    named: (tool) => `library__${tool}`,
    outage,
  }),
  transportRules,
);
