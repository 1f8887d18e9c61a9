import { expect, test } from "vitest";
import { realServer } from "../support/real-servers.ts";
import { opened } from "../support/open-source.ts";

const servers = [
  "@modelcontextprotocol/server-everything",
  "@modelcontextprotocol/server-filesystem",
  "@modelcontextprotocol/server-memory",
  "@modelcontextprotocol/server-sequential-thinking",
  "@modelcontextprotocol/server-github",
];

test.each(servers)(
  "OA14: no text of %s is reported as an instruction, and no tool is lost",
  async (name) => {
    const source = opened(realServer(name, name.endsWith("filesystem") ? ["."] : []));
    await source.ready;
    expect(source.tools().length).toBeGreaterThan(0);
    expect(source.problems).toEqual([]);
  },
);
