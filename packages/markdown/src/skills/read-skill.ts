import { realpath } from "node:fs/promises";
import { basename, resolve } from "node:path";
import { ToolError } from "@toolweave/core";
import { readFrontMatter, type FrontMatter } from "../text/front-matter.ts";
import type { Finding } from "../text/finding.ts";
import { isError, sortFindings } from "../text/sort-findings.ts";
import { isKnownTool } from "./map-tools.ts";
import { FieldReader } from "./skill-fields.ts";
import { decodeText, listFolder, readFileBelow } from "./skill-folder.ts";
import { skillLimits, type Skill, type SkillReading } from "./skill.ts";
import { readToolReferences } from "./tool-references.ts";
import { checks } from "@toolweave/core/adapter";

/** The keys of the specification, and those of Claude Code, which have no effect here. */
const specifiedKeys = [
  "name",
  "description",
  "license",
  "compatibility",
  "metadata",
  "allowed-tools",
] as const;
const clientKeys = [
  "argument-hint",
  "arguments",
  "when_to_use",
  "disable-model-invocation",
  "user-invocable",
  "model",
  "effort",
  "context",
  "agent",
  "paths",
  "shell",
] as const;

/** Keys of Claude Code whose absence of an effect its author has to know. */
const ignoredKeys = {
  hooks: "a file runs no programs: configure hooks in the host",
  "disallowed-tools": "name the tools that are left in allowed-tools",
} as const;

/**
 * Reads the skill in a folder. Every rule of the specification that it breaks is a finding with its place; a skill with
 * an error is not returned. Never rejects because of what the folder has.
 *
 * @throws ToolError `invalid_configuration` (by rejecting) for a folder that is no text.
 *
 * @see https://agentskills.io/specification
 */
export async function readSkill(folder: string): Promise<SkillReading> {
  checks.filledText.check("readSkill: folder", folder);
  const label = basename(resolve(folder));
  const file = `${label}/SKILL.md`;
  const fail = (code: string, message: string, hint: string): SkillReading => ({
    findings: [{ file, line: 1, column: 1, code, severity: "error", message, hint }],
  });
  let root: string;
  let text: string | undefined;
  try {
    root = await realpath(folder);
    // One byte more than is accepted: the reader of front matter reports the size.
    text = decodeText(await readFileBelow(root, "SKILL.md", skillLimits.fileBytes));
  } catch (error) {
    if (!ToolError.is(error)) return fail("unreadable", `the folder cannot be read`, "Check it.");
    if (error.code === "permission_denied")
      return fail("link_outside", "SKILL.md is a link that leads out of the folder", "Copy it.");
    if (error.code === "limit_exceeded")
      return fail(
        "file_too_large",
        `SKILL.md has more than ${skillLimits.fileBytes} bytes`,
        "Move details into files of references/.",
      );
    return fail(
      "missing_skill_file",
      "the folder has no SKILL.md",
      "Write one, with name and description in its front matter.",
    );
  }
  if (text === undefined)
    return fail("not_text", "SKILL.md is no text in UTF-8", "Save it as UTF-8.");
  const front = readFrontMatter(file, text);
  const { fields, findings } = readFields(front, label);
  const listing = await listFolder(root, label).catch(() => undefined);
  if (listing === undefined)
    return fail("unreadable", "a folder of the skill cannot be read", "Check its permissions.");
  findings.push(...listing.findings);
  const sorted = sortFindings(findings);
  if (fields === undefined || sorted.some(isError)) return { findings: sorted };
  return { skill: { ...fields, folder: root, files: listing.files }, findings: sorted };
}

type SkillFields = Omit<Skill, "folder" | "files">;

/** The fields of a `SKILL.md`; undefined: one of the findings is an error. */
function readFields(
  front: FrontMatter,
  folderName: string,
): { readonly fields: SkillFields | undefined; readonly findings: Finding[] } {
  const reader = new FieldReader(front);
  const { findings } = reader;
  const { places, values, body } = front;
  const name = reader.text("name", {
    max: skillLimits.name,
    isRequired: true,
    hint: `Write \`name: ${folderName}\`, the name of the folder.`,
  });
  if (name !== undefined) checkName(name, folderName, reader, front);
  const description = reader.text("description", {
    max: skillLimits.description,
    isRequired: true,
    hint: "Write what the skill does and when to use it, in 1 to 1024 characters.",
  });
  if (description !== undefined) reader.scan("description", description);
  const license = reader.text("license", {
    max: skillLimits.license,
    hint: "Write the name of the license, or of its file.",
  });
  const compatibility = reader.text("compatibility", {
    max: skillLimits.compatibility,
    hint: "Write what the skill needs, in 1 to 500 characters, or leave it out.",
  });
  const metadata = reader.textMap("metadata");
  const allowedTools = readToolReferences(
    front,
    "allowed-tools",
    { isSpaced: true, max: skillLimits.allowedTools },
    findings,
  );
  for (const reference of allowedTools ?? []) {
    if (isKnownTool(reference)) continue;
    const message = `allowed-tools names ${reference.text}, which is no known tool`;
    reader.add("warning", reference.place, "unknown_tool", message, "It gives nothing.");
  }
  if (front.isReadable) {
    const ignored = Object.entries(ignoredKeys);
    reader.unknownKeys([...specifiedKeys, ...clientKeys, ...Object.keys(ignoredKeys)], "a skill");
    for (const [key, advice] of ignored) {
      if (!Object.hasOwn(values, key)) continue;
      const message = `${key} has no effect: ${advice}`;
      reader.add("warning", places.key([key]), "ignored_key", message);
    }
    checkBody(front, reader);
  }
  if (name === undefined || description === undefined || findings.some(isError))
    return { fields: undefined, findings };
  const fields: SkillFields = {
    name,
    description,
    ...(license === undefined ? {} : { license }),
    ...(compatibility === undefined ? {} : { compatibility }),
    metadata,
    ...(allowedTools === undefined ? {} : { allowedTools }),
    frontMatter: values,
    body: body.trim(),
    place: places.value(["name"]),
  };
  return { fields, findings };
}

function checkName(name: string, folder: string, reader: FieldReader, front: FrontMatter): void {
  const place = front.places.value(["name"]);
  if (!/^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(name)) {
    reader.add(
      "error",
      place,
      "invalid_name",
      `the name ${JSON.stringify(name.slice(0, 80))} is invalid`,
      "Write lower-case letters a to z and digits, with single hyphens between them.",
    );
  }
  if (name !== folder) {
    reader.add(
      "error",
      place,
      "name_mismatch",
      `the name ${JSON.stringify(name.slice(0, 80))} is not that of the folder, ${JSON.stringify(folder.slice(0, 80))}`,
      "Give both the same name.",
    );
  }
}

function checkBody({ body, bodyLine, file }: FrontMatter, reader: FieldReader): void {
  const place = { file, line: bodyLine, column: 1 };
  if (body.trim() === "")
    reader.add(
      "warning",
      place,
      "empty_body",
      "the skill has no instructions",
      "Write them below the front matter.",
    );
  const lines = body.split("\n").length;
  if (lines > skillLimits.bodyLines)
    reader.add(
      "warning",
      place,
      "long_body",
      `the instructions have ${lines} lines: a model reads them all at once`,
      `Move details into files of references/, and keep ${skillLimits.bodyLines} lines.`,
    );
}
