import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { SkillsClient, SkillVerificationError } from "@modelcontextprotocol/client/ext/skills";
import { ToolExecutor, ToolRegistry } from "@toolweave/core";
import { listenHttp, serveMcp, type McpProvider } from "@toolweave/mcp/serve";
import { describe, expect, it, onTestFinished } from "vitest";
import { skillsProvider } from "../../src/skills/skill-resources.ts";
import { fixtures, createFolder, skillText, write } from "./temp-folder.ts";

const eras = ["legacy", "modern"] as const;

async function connect(folder: string, era: (typeof eras)[number]): Promise<Client> {
  const provider: McpProvider = skillsProvider(folder);
  const registry = new ToolRegistry([]);
  const executor = new ToolExecutor({ registry });
  const gateway = serveMcp(registry, executor, { providers: [provider] });
  onTestFinished(() => gateway.close({ graceMs: 0 }));
  const listener = await listenHttp(gateway);
  onTestFinished(() => listener.close(0));
  const client = new Client(
    { name: "host", version: "1" },
    { versionNegotiation: { mode: era === "modern" ? { pin: "2026-07-28" } : "legacy" } },
  );
  await client.connect(new StreamableHTTPClientTransport(new URL(listener.url)));
  onTestFinished(() => client.close());
  return client;
}

describe.each(eras)("skills over MCP, for a %s client of the official SDK,", (era) => {
  it("are listed with their front matter as it is written, and the digest of every file", async () => {
    const folder = join(fixtures, "good");
    const skills = new SkillsClient(await connect(folder, era));
    const { skills: entries } = await skills.list();
    expect(entries).toHaveLength(30);
    const invoice = entries.find(({ frontmatter }) => frontmatter.name === "invoice-extraction")!;
    expect(invoice).toMatchObject({
      uri: "skill://invoice-extraction/SKILL.md",
      frontmatter: {
        license: "Apache-2.0",
        metadata: { author: "finance-tools", version: "1.4" },
        "allowed-tools": "Read Write",
      },
    });
    const paths = ["SKILL.md", "references/fields.md", "scripts/check_total.schema.json"];
    expect(invoice.resources).toEqual(
      expect.arrayContaining(
        paths.map((path) => {
          const bytes = readFileSync(join(folder, "invoice-extraction", path));
          const digest = `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
          return { uri: `skill://invoice-extraction/${path}`, digest, size: bytes.length };
        }),
      ),
    );
  });

  it("are verified by the client: every file of every skill", async () => {
    const skills = new SkillsClient(await connect(join(fixtures, "good"), era));
    const { skills: entries } = await skills.list();
    let files = 0;
    for (const entry of entries) {
      expect((await skills.read(entry)).frontmatter).toEqual(entry.frontmatter);
      for (const { uri } of entry.resources as readonly { readonly uri: string }[]) {
        expect((await skills.read(entry, uri)).verified).toBe(true);
        files += 1;
      }
    }
    expect(files).toBeGreaterThan(60);
  });

  it("are resources: each SKILL.md is listed, other files are read by their URIs", async () => {
    const folder = createFolder({
      "one/SKILL.md": skillText("one"),
      "one/assets/a mark?.bin": Uint8Array.from([0, 255]),
    });
    const client = await connect(folder, era);
    expect((await client.listResources()).resources).toEqual([
      {
        uri: "skill://one/SKILL.md",
        name: "one",
        description: "About one.",
        mimeType: "text/markdown",
        size: skillText("one").length,
      },
    ]);
    const uri = "skill://one/assets/a%20mark%3F.bin";
    expect(await client.readResource({ uri })).toMatchObject({
      contents: [{ uri, mimeType: "application/octet-stream", blob: "AP8=" }],
    });
  });

  it("are read only in their folders", async () => {
    const folder = createFolder({ "secret.md": "secret", "skills/one/SKILL.md": skillText("one") });
    const client = await connect(join(folder, "skills"), era);
    for (const uri of [
      "skill://one/../../secret.md",
      "skill://one/..%2F..%2Fsecret.md",
      "skill://../secret.md",
      "skill://one/none.md",
      "skill://one",
      "skill://two/SKILL.md",
      "file:///etc/passwd",
    ]) {
      await expect(client.readResource({ uri })).rejects.toMatchObject({ code: -32602 });
    }
  });

  it("are as the files are when a client asks: a changed file needs a new entry", async () => {
    const folder = createFolder({ "one/SKILL.md": skillText("one"), "one/a.md": "old\n" });
    const skills = new SkillsClient(await connect(folder, era));
    const { skill } = await skills.get("skill://one/SKILL.md");
    write(folder, { "one/a.md": "new\n" });
    await expect(skills.read(skill, "a.md")).rejects.toThrow(SkillVerificationError);
    const { skill: fresh } = await skills.get("skill://one/SKILL.md");
    expect((await skills.read(fresh, "a.md")).text).toBe("new\n");
  });

  it("with an error, or beyond the limits of the extension, are not served", async () => {
    const folder = createFolder({
      "good/SKILL.md": skillText("good"),
      "wrong/SKILL.md": skillText("other"),
      "many/SKILL.md": skillText("many"),
      "large/SKILL.md": skillText("large"),
      "large/data.bin": new Uint8Array(16 * 1024 * 1024),
    });
    const skills = new SkillsClient(await connect(folder, era));
    const names = (await skills.list()).skills.map(({ frontmatter }) => frontmatter.name);
    expect(names).toEqual(["good", "many"]);
    await expect(skills.get("skill://large/SKILL.md")).rejects.toMatchObject({ code: -32602 });
  });
});
