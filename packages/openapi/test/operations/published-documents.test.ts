// Documents that npm packages publish, read by us and by a third-party reader.
import { existsSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import SwaggerParser from "@apidevtools/swagger-parser";
import type { JsonObject } from "@toolweave/core";
import { isToolName } from "@toolweave/core/adapter";
import { describe, expect, test } from "vitest";
import { isFullRun } from "@toolweave/test-support";
import { openDocument } from "../../src/operations/document.ts";
import { findExpressions, splitTemplate } from "../../src/document/path-expressions.ts";
import { checkOperations } from "../support/open-documents.ts";

const require = createRequire(import.meta.url);
const github = require.resolve("@octokit/openapi/generated/api.github.com.json");
const examples = dirname(require.resolve("@readme/oas-examples/package.json"));
const methods = new Set(["get", "put", "post", "delete", "options", "head", "patch", "trace"]);
const ignoredHeaders = new Set(["accept", "content-type", "authorization"]);

interface Judged {
  readonly parameters?: readonly JudgedParameter[];
}

interface JudgedParameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
}

/** Every operation with its parameters, dereferenced by swagger-parser; undefined: it fails. */
async function judge(path: string): Promise<Map<string, string[]> | undefined> {
  let api: { paths?: Record<string, Record<string, Judged> & Judged> };
  try {
    api = (await SwaggerParser.dereference(path)) as typeof api;
  } catch {
    return undefined;
  }
  const operations = new Map<string, string[]>();
  for (const [at, item] of Object.entries(api.paths ?? {})) {
    for (const [method, operation] of Object.entries(item)) {
      if (!methods.has(method)) continue;
      const all = new Map<string, JudgedParameter>();
      for (const parameter of [...(item.parameters ?? []), ...(operation.parameters ?? [])]) {
        all.set(`${parameter.in} ${parameter.name}`, parameter);
      }
      const described = [...all.values()]
        .filter(
          ({ in: place, name }) => !(place === "header" && ignoredHeaders.has(name.toLowerCase())),
        )
        .filter(({ in: place }) => place !== "body" && place !== "formData")
        .map(
          ({ name, in: place, required }) =>
            `${place} ${name}${place === "path" || required === true ? "!" : ""}`,
        );
      for (const name of findExpressions(splitTemplate(at).path)) {
        if (!described.includes(`path ${name}!`)) described.push(`path ${name}!`);
      }
      operations.set(`${method.toUpperCase()} ${at}`, described);
    }
  }
  return operations;
}

async function ours(path: string): Promise<Map<string, string[]>> {
  const opened = await openDocument(path);
  return new Map(
    opened.operations.map((operation) => [
      `${operation.method} ${operation.path}`,
      operation
        .details()
        .parameters.map(
          ({ name, in: place, required }) => `${place} ${name}${required ? "!" : ""}`,
        ),
    ]),
  );
}

const published = ["2.0", "3.0", "3.1"].flatMap((version) =>
  readdirSync(join(examples, version, "json"))
    .filter((name) => name.endsWith(".json"))
    .map((name) => `${version}/json/${name}`),
);
// A quick run uses every fourth.
const documents = published.filter((_, index) => isFullRun || index % 4 === 0);

function readYaml(name: string): string {
  return name.replaceAll("json", "yaml");
}

describe("@readme/oas-examples", () => {
  test.each(documents)(
    "%s: operations and parameters equal those of swagger-parser",
    async (name) => {
      const path = join(examples, name);
      const read = await ours(path);
      const expected = await judge(path);
      // The documents that it cannot read are the reason for our own reader; those that it reads
      // must agree.
      expect(read).toEqual(expected ?? read);
      const opened = await openDocument(path);
      expect(checkOperations(opened)).toHaveLength(opened.operations.length);
    },
  );

  test.runIf(isFullRun)("swagger-parser reads nearly all of them", async () => {
    const judged = await Promise.all(published.map((name) => judge(join(examples, name))));
    expect(judged.filter((result) => result !== undefined).length).toBeGreaterThan(
      published.length * 0.9,
    );
  });

  const inYaml = documents.filter((name) => existsSync(join(examples, readYaml(name))));

  test.each(inYaml)("%s has the same list in YAML", async (name) => {
    const json = await openDocument(join(examples, name));
    const yaml = await openDocument(join(examples, readYaml(name)));
    const listed = (opened: typeof yaml) =>
      opened.operations.map(({ name: tool, summary, path }) => [tool, path, summary]);
    expect(listed(yaml)).toEqual(listed(json));
  });
});

describe("@octokit/openapi", () => {
  test.runIf(isFullRun)(
    "every operation is read, under a unique name, with its parameters",
    async () => {
      const document = require(github) as { paths: Record<string, JsonObject> };
      const count = Object.values(document.paths).flatMap((item) =>
        Object.keys(item).filter((key) => methods.has(key)),
      ).length;
      const opened = await openDocument(github);
      expect(opened.operations).toHaveLength(count);
      expect(new Set(opened.operations.map(({ name }) => name)).size).toBe(count);
      expect(opened.operations.filter(({ name }) => !isToolName(name))).toEqual([]);
      expect(checkOperations(opened)).toHaveLength(count);
      expect(opened.problems).toEqual([]);
      expect(await ours(github)).toEqual(await judge(github));
    },
  );
});
