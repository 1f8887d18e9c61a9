import { conformance } from "@toolweave/conformance/vitest";
import { filter, prefix } from "@toolweave/core";
import { mcpSource, type McpSource } from "../../src/index.ts";
import {
  closing,
  conformingLibrary,
  LibraryFolder,
  libraryToken,
  transportRules,
} from "../support/conforming-library.ts";
import { libraryServer } from "../support/library-options.ts";

const folder = new LibraryFolder();

function libraryOver(...args: readonly string[]): McpSource {
  return mcpSource({
    ...libraryServer,
    args: [...(libraryServer.args ?? []), ...args],
    env: { ...libraryServer.env, LIBRARY_TOKEN: libraryToken, LIBRARY_CLOSED: folder.closed },
  });
}

conformance(
  conformingLibrary({
    name: "an MCP server over stdio",
    waits: folder.borrowing("library__lend_book"),
    folder,
    create: () => libraryOver(),
    named: (tool) => `library__${tool}`,
    outage: closing(folder),
  }),
  { ...(transportRules.only && { only: ["OUTAGE", ...transportRules.only] }) },
);

conformance(
  conformingLibrary({
    name: "an MCP server of the older protocol over stdio, with a prefix and a filter",
    waits: folder.paying("town__library__pay_fine"),
    folder,
    create: () =>
      prefix(
        filter(libraryOver("legacy"), ({ spec }) => spec.name !== "library__leave"),
        "town",
      ),
    named: (tool) => `town__library__${tool}`,
    outage: closing(folder),
  }),
  transportRules,
);
