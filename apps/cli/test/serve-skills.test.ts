import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { JsonObject } from "@toolweave/core";
import { expect, onTestFinished, test } from "vitest";
import { notes } from "./support/notes.ts";
import { awaitEnd, startBin } from "./support/run-bin.ts";
import { tempFolder } from "./support/temp-file.ts";

const skill = "---\nname: sewing\ndescription: How to sew.\nlicense: MIT\n---\n\n# Sewing\n";

function skillFolder(files: Readonly<Record<string, string>>): string {
  const folder = tempFolder();
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

function computeDigest(text: string): string {
  return `sha256:${createHash("sha256").update(text).digest("hex")}`;
}

test("serve --skills lists skills with the digest of every file, and serves the files", async () => {
  const folder = skillFolder({
    "sewing/SKILL.md": skill,
    "sewing/references/stitches.md": "# Stitches\n",
    "broken/SKILL.md": "# No front matter\n",
  });
  const child = startBin(["serve", "--config", notes().config, "--skills", folder]);
  onTestFinished(() => void child.kill("SIGKILL"));
  const ended = awaitEnd(child);
  let received = "";
  child.stdout.on("data", (chunk: Buffer) => (received += chunk.toString()));
  let id = 0;
  const request = async (method: string, params: JsonObject): Promise<JsonObject> => {
    id += 1;
    child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    for (;;) {
      const found = received
        .split("\n")
        .slice(0, -1)
        .map((line) => JSON.parse(line) as JsonObject)
        .find((message) => message["id"] === id);
      if (found !== undefined) return (found["result"] ?? found["error"]) as JsonObject;
      await once(child.stdout, "data");
    }
  };
  const started = await request("initialize", {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "host", version: "1" },
  });
  expect(started["capabilities"]).toMatchObject({
    resources: {},
    extensions: { "io.modelcontextprotocol/skills": {} },
  });
  child.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
  expect(await request("skills/list", {})).toEqual({
    skills: [
      {
        uri: "skill://sewing/SKILL.md",
        frontmatter: { name: "sewing", description: "How to sew.", license: "MIT" },
        resources: [
          { uri: "skill://sewing/SKILL.md", digest: computeDigest(skill), size: skill.length },
          {
            uri: "skill://sewing/references/stitches.md",
            digest: computeDigest("# Stitches\n"),
            size: 11,
          },
        ],
      },
    ],
  });
  const read = await request("resources/read", { uri: "skill://sewing/references/stitches.md" });
  expect(read).toMatchObject({ contents: [{ text: "# Stitches\n", mimeType: "text/markdown" }] });
  expect(await request("skills/get", { uri: "skill://broken/SKILL.md" })).toMatchObject({
    code: -32602,
  });
  child.stdin.end();
  const { code, stderr } = await ended;
  expect(code).toBe(0);
  expect(stderr).toContain("toolweave: broken/SKILL.md:1:1: markdown file must start with ---");
});
