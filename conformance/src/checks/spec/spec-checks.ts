import { isObject, walkSubschemas, isToolName } from "@toolweave/core/adapter";
import { defineCheck, type Check } from "../../context/check.ts";
import { withReadableSpec, checkEach } from "../../faults/check-each.ts";
import { findAnnotationFault } from "../../faults/field-faults.ts";
import { fieldChecks } from "./field-checks.ts";
import {
  findHiddenCharacter,
  hasLoneSurrogate,
  type SpecText,
} from "../../faults/hidden-characters.ts";
import {
  defineTool,
  ToolRegistry,
  toolsSource,
  type JsonObject,
  type JsonValue,
  type ToolSpec,
} from "@toolweave/core";
import { failed, passed } from "../../contract/finding.ts";

/** Checks of specs, except their schemas. */
export const specChecks: readonly Check[] = [
  defineCheck("TW-SPEC-001", async (context) => {
    const { tools } = await context.subject();
    return checkEach(tools, "Read every field of each spec", ({ unreadable }) =>
      unreadable === undefined
        ? undefined
        : { wrong: `throws when its ${unreadable.field} is read`, seen: unreadable.error },
    );
  }),

  defineCheck("TW-SPEC-002", async (context) => {
    const { tools } = await context.subject();
    return checkEach(tools, "Looked for values that are not JSON in each spec", ({ defect }) =>
      defect === undefined
        ? undefined
        : { wrong: `is not plain JSON data at spec${defect.path}`, seen: defect.what },
    );
  }),

  defineCheck("TW-SPEC-003", async (context) => {
    const { tools } = await context.subject();
    return checkEach(
      withReadableSpec(tools),
      "Read each description",
      ({ spec: { description } }) =>
        typeof description === "string" && description.trim() !== ""
          ? undefined
          : { wrong: "has no description", seen: description },
    );
  }),

  defineCheck("TW-SPEC-008", async (context) => {
    const { tools } = await context.subject();
    return checkEach(withReadableSpec(tools), "Read each tool's annotations", ({ spec }) =>
      isObject(spec.annotations)
        ? findAnnotationFault(spec.annotations)
        : {
            wrong: "has no annotations object: use {} if there are none",
            seen: spec.annotations,
          },
    );
  }),

  defineCheck("TW-SPEC-009", async (context) => {
    const { tools } = await context.subject();
    return checkEach(withReadableSpec(tools), "Read each schema twice", ({ tool: { spec } }) =>
      spec.inputSchema === spec.inputSchema && spec.outputSchema === spec.outputSchema
        ? undefined
        : { wrong: "creates a new schema each time it is read", seen: "two objects" },
    );
  }),

  ...fieldChecks,
  defineCheck("TW-SPEC-021", async (context) => {
    const { tools } = await context.subject();
    const done = "Looked for invisible characters in the texts of each spec";
    return checkEach(withReadableSpec(tools), done, ({ spec }) => {
      for (const { path, text } of getWrittenTexts(spec)) {
        const character = findHiddenCharacter(text);
        if (character !== undefined) {
          const wrong = `has the invisible or direction-changing character ${character} at ${path}: remove it`;
          return { wrong, seen: JSON.stringify(text) };
        }
      }
      return undefined;
    });
  }),

  defineCheck("TW-SPEC-024", async (context) => {
    const { tools } = await context.subject();
    return checkEach(
      withReadableSpec(tools),
      "Looked for broken characters in each spec",
      ({ spec }) => {
        const broken = getAllTexts(spec).find(({ text }) => hasLoneSurrogate(text));
        return broken === undefined
          ? undefined
          : {
              wrong: `has a lone surrogate at ${broken.path}: a text was truncated within a character`,
              seen: JSON.stringify(broken.text),
            };
      },
    );
  }),
];

const textKeywords = ["title", "description", "$comment"];

/**
 * The texts of a spec that are written for a reader: its name and texts, and the names and texts of
 * its input schema.
 */
function getWrittenTexts({ name, title, description, inputSchema }: ToolSpec): SpecText[] {
  const found: SpecText[] = [];
  const add = (path: string, text: unknown): void => {
    if (typeof text === "string") found.push({ path, text });
  };
  add("/name", name);
  add("/title", title);
  add("/description", description);
  if (!isObject(inputSchema)) return found;
  for (const { schema, pointer: path } of walkSubschemas(inputSchema)) {
    const at = `/inputSchema${path}`;
    for (const keyword of textKeywords) add(`${at}/${keyword}`, schema[keyword]);
    const { properties } = schema;
    if (isObject(properties)) {
      for (const property of Object.keys(properties)) add(`${at}/properties`, property);
    }
  }
  return found;
}

/** All texts of the part of a spec that a model receives, keys and values alike. */
function getAllTexts({ name, title, description, inputSchema }: ToolSpec): SpecText[] {
  const found: SpecText[] = [];
  const seen = new Set<object>();
  const visit = (value: JsonValue | undefined, path: string): void => {
    if (typeof value === "string") found.push({ path, text: value });
    if (typeof value !== "object" || value === null || seen.has(value)) return;
    seen.add(value);
    for (const [key, member] of Object.entries(value as JsonObject)) {
      found.push({ path, text: key });
      visit(member, `${path}/${key}`);
    }
  };
  visit(name, "/name");
  visit(title, "/title");
  visit(description, "/description");
  visit(inputSchema, "/inputSchema");
  return found;
}

/** Checks of names and their order. */
export const nameChecks: readonly Check[] = [
  defineCheck("TW-NAME-001", async (context) => {
    const { tools } = await context.subject();
    return checkEach(withReadableSpec(tools), "Read each name", ({ spec: { name } }) =>
      typeof name === "string" && isToolName(name)
        ? undefined
        : { wrong: "has a name that is not canonical", seen: name },
    );
  }),

  defineCheck("TW-NAME-002", async (context) => {
    const names = (await context.subject()).names().filter((name) => name !== "");
    const done = `Compared ${names.length} names.`;
    const twice = names.find((name, index) => names.indexOf(name) !== index);
    return twice === undefined
      ? passed(done)
      : failed(`Two tools are named "${twice}".`, done, names);
  }),

  defineCheck("TW-NAME-003", async (context) => {
    const { source } = await context.createReady();
    const done = "Called tools() three times.";
    const list = source.tools();
    return list === source.tools() && list === source.tools()
      ? passed(done)
      : failed("Each call of tools() returns a different array.", done, "different arrays");
  }),

  defineCheck("TW-NAME-004", async (context) => {
    const first = (await context.createReady()).names();
    const second = (await context.createReady()).names();
    const done = "Created it twice and compared the names.";
    const at = first.findIndex((name, index) => name !== second[index]);
    return at === -1 && first.length === second.length
      ? passed(done)
      : failed("The tools are in a different order each time.", done, {
          at,
          first: first.slice(at, at + 5),
          second: second.slice(at, at + 5),
        });
  }),

  defineCheck("TW-NAME-005", async (context) => {
    const { tools } = await context.subject();
    const reserved = findReservedNames(tools.map(({ name }) => name));
    return checkEach(tools, "Registered each name", ({ name }) =>
      reserved.has(name)
        ? {
            wrong:
              "has a reserved name, which registries reject: use another name, or a prefix for the source",
            seen: name,
          }
        : undefined,
    );
  }),

  defineCheck("TW-NAME-006", async (context) => {
    const { tools } = await context.subject();
    const known = new Map<string, string>();
    return checkEach(tools, "Compared the names in lower case", ({ name }) => {
      const other = known.get(name.toLowerCase()) ?? name;
      known.set(name.toLowerCase(), other);
      return other === name
        ? undefined
        : { wrong: `differs from "${other}" only in case`, seen: name };
    });
  }),
];

/** The names that a registry reserves for built-in tools. */
function findReservedNames(names: readonly string[]): ReadonlySet<string> {
  const canonical = [...new Set(names)].filter(isToolName);
  const tools = canonical.map((name) =>
    defineTool({
      name,
      description: "Stands for the tool.",
      input: { type: "object" },
      execute: () => undefined,
    }),
  );
  const registry = new ToolRegistry([toolsSource("conformance", tools)]);
  return new Set(registry.problems.map(({ subject }) => subject));
}
