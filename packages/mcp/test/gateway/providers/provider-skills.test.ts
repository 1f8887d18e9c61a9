import { createHash } from "node:crypto";
import { SkillsClient, SkillVerificationError } from "@modelcontextprotocol/client/ext/skills";
import { ToolError, type JsonObject } from "@toolweave/core";
import { describe, expect, it } from "vitest";
import type { McpProvider } from "../../../src/gateway/index.ts";
import { openClient, eras, post, serving } from "../../support/open-gateway.ts";

type Files = Readonly<Record<string, string | Uint8Array>>;

/** A provider of one skill `sewing`, and of an unlisted skill `knitting`. */
function workshop(id: string, served: Files = files, described: Files = served): McpProvider {
  const entry = (name: string): JsonObject => ({
    uri: `skill://${name}/SKILL.md`,
    frontmatter: { name, description: `About ${name}.`, metadata: { version: "1" } },
    resources: Object.entries(described)
      .filter(([uri]) => uri.startsWith(`skill://${name}/`))
      .map(([uri, content]) => {
        const bytes = Buffer.from(content);
        const digest = `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
        return { uri, digest, size: bytes.length };
      }),
  });
  return {
    id,
    resources: {
      list: () => [{ uri: "skill://sewing/SKILL.md", name: "sewing", mimeType: "text/markdown" }],
      templates: () => [],
      read({ uri }) {
        const content = served[String(uri)];
        if (content === undefined) throw new ToolError("not_found", "None.");
        const body =
          typeof content === "string"
            ? { text: content }
            : { blob: Buffer.from(content).toString("base64") };
        return { contents: [{ uri: String(uri), ...body }] };
      },
    },
    skills: {
      list: () => [entry("sewing")],
      get: (uri) => ["sewing", "knitting"].map(entry).find((skill) => skill["uri"] === uri),
    },
    onChange: () => () => {},
  };
}

function skillFile(name: string): string {
  return `---\nname: ${name}\ndescription: About ${name}.\nmetadata:\n  version: "1"\n---\n\n# ${name}\n`;
}

const files: Files = {
  "skill://sewing/SKILL.md": skillFile("sewing"),
  "skill://sewing/references/stitches.md": "# Stitches\n",
  "skill://sewing/assets/mark.bin": Uint8Array.from([0, 255, 7]),
  "skill://knitting/SKILL.md": skillFile("knitting"),
};

describe.each(eras)("skills of a provider, for a %s client,", (era) => {
  it("are declared, listed with their front matter, and verified file by file", async () => {
    const { url } = await serving({ gateway: { providers: [workshop("a")] } });
    const skills = new SkillsClient(await openClient(url, era));
    expect(skills.supported).toBe(true);
    const { skills: entries, invalid } = await skills.list();
    expect(invalid).toEqual([]);
    expect(entries).toMatchObject([
      {
        uri: "skill://sewing/SKILL.md",
        frontmatter: { name: "sewing", description: "About sewing.", metadata: { version: "1" } },
      },
    ]);
    const [sewing] = entries;
    const main = await skills.read(sewing!);
    expect(main).toMatchObject({ verified: true, frontmatter: { name: "sewing" } });
    for (const path of ["references/stitches.md", "assets/mark.bin"]) {
      const file = await skills.read(sewing!, path);
      expect(file.verified).toBe(true);
      expect(Buffer.from(file.bytes)).toEqual(Buffer.from(files[`skill://sewing/${path}`]!));
    }
  });

  it("are found by their URI, listed or not", async () => {
    const { url } = await serving({ gateway: { providers: [workshop("a")] } });
    const skills = new SkillsClient(await openClient(url, era));
    const { skill } = await skills.get("skill://knitting/SKILL.md");
    expect((await skills.read(skill)).verified).toBe(true);
    await expect(skills.get("skill://weaving/SKILL.md")).rejects.toMatchObject({ code: -32602 });
  });

  it("are rejected by the client if a file is another one than the entry describes", async () => {
    const changed = { ...files, "skill://sewing/references/stitches.md": "# Stitched\n" };
    const { url } = await serving({ gateway: { providers: [workshop("a", changed, files)] } });
    const skills = new SkillsClient(await openClient(url, era));
    const { skill } = await skills.get("skill://sewing/SKILL.md");
    await expect(skills.read(skill, "references/stitches.md")).rejects.toThrow(
      SkillVerificationError,
    );
  });

  it("of a URI that two providers have are those of the first, which is reported", async () => {
    const { url, gateway } = await serving({
      gateway: { providers: [workshop("a"), workshop("b")] },
    });
    const skills = new SkillsClient(await openClient(url, era));
    expect((await skills.list()).skills).toHaveLength(1);
    expect(gateway.problems).toContainEqual(
      expect.objectContaining({ provider: "b", subject: "skill://sewing/SKILL.md" }),
    );
  });

  it("are hidden by a policy that denies to read the resources of their provider", async () => {
    const { url } = await serving({
      executor: { policy: { rules: [{ effect: "deny", tools: "a__read_resource" }] } },
      gateway: { providers: [workshop("a")] },
    });
    const skills = new SkillsClient(await openClient(url, era));
    expect((await skills.list()).skills).toEqual([]);
    await expect(skills.get("skill://sewing/SKILL.md")).rejects.toThrow("not permitted");
  });

  it("are not declared by a gateway whose providers have none", async () => {
    const { skills: _none, ...provider } = workshop("a");
    const { url } = await serving({ gateway: { providers: [provider] } });
    expect(new SkillsClient(await openClient(url, era)).supported).toBe(false);
  });
});

it("the results of skills have what the extension requires in 2026-07-28", async () => {
  const { url } = await serving({ gateway: { providers: [workshop("a")] } });
  const list = await post(url, "skills/list", {});
  expect(list.result).toMatchObject({ resultType: "complete", ttlMs: 0, cacheScope: "private" });
  const got = await post(url, "skills/get", { uri: "skill://sewing/SKILL.md" });
  expect(got.result).toMatchObject({ resultType: "complete", ttlMs: 0, cacheScope: "private" });
});
