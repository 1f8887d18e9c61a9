import { isSchemaNode, type SchemaNode } from "@toolweave/core/adapter";
import { memberSchema } from "./count-violations.ts";
import { itemSchema } from "./field-view.ts";
import type { FormNode } from "../../json/node.ts";
import { schemaParts, type SchemaRoot } from "./schema-parts.ts";
import { viewSchema } from "./schema-view.ts";
import { compactJson } from "../../json/write-json.ts";

/**
 * Writes the value without secrets, for addresses and storage: values whose schema, or any branch of it, is `writeOnly` or
 * has the format `password` are removed, as are drafts. JSON that the schema does not describe is preserved.
 *
 * @returns undefined if the value itself is a secret or a draft.
 */
export function publicJson(root: SchemaRoot, value: FormNode): string | undefined {
  const node = withoutSecrets(root, root.schema, value);
  return node === undefined ? undefined : compactJson(node);
}

function withoutSecrets(
  root: SchemaRoot,
  schema: SchemaNode | undefined,
  node: FormNode,
): FormNode | undefined {
  if (node.kind === "draft" || isSecret(root, schema)) return undefined;
  if (node.kind === "array") {
    const view = viewSchema(root, schema, node);
    const items = node.items.flatMap((item, index) => {
      return withoutSecrets(root, itemSchema(view, index), item) ?? [];
    });
    return { ...node, items };
  }
  if (node.kind === "object") {
    const members = [...node.members].flatMap(([name, member]): [string, FormNode][] => {
      const schemas = memberSchemas(root, schema, node, name);
      if (schemas.some((other) => isSecret(root, other))) return [];
      const rest = withoutSecrets(root, schemas[0], member);
      return rest === undefined ? [] : [[name, rest]];
    });
    return { ...node, members: new Map(members) };
  }
  return node;
}

/** The schemas of a member: of the selected branches, and of those that are not selected. */
function memberSchemas(
  root: SchemaRoot,
  schema: SchemaNode | undefined,
  node: FormNode,
  name: string,
): readonly (SchemaNode | undefined)[] {
  const { base, choices } = viewSchema(root, schema, node);
  const branches = choices.flatMap((choice) => choice.branches.map(({ own }) => own));
  return [
    memberSchema(base, name),
    ...branches.map((branch) => memberSchema(schemaParts(root, branch).base, name)),
  ];
}

const maxDepth = 8;

/** True for a schema whose values must not be displayed or stored. */
export function isSecret(root: SchemaRoot, schema: SchemaNode | undefined, depth = 0): boolean {
  if (depth > maxDepth || !isSchemaNode(schema)) return false;
  const { base, choices } = schemaParts(root, schema);
  if (base["writeOnly"] === true || base["format"] === "password") return true;
  return choices.some(({ branches }) =>
    branches.some((branch) => isSecret(root, branch, depth + 1)),
  );
}
