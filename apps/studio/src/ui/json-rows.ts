import { ExactNumber, type ExactJson } from "../json/node.ts";

/** A line of a JSON tree. */
export interface JsonRow {
  /** A JSON pointer: unique in the tree. */
  readonly pointer: string;
  readonly depth: number;
  /** The name of the member, or the index of the item. Absent: the root. */
  readonly name?: string | number;
  readonly value: ExactJson;
  /** The number of members or items. Absent: there is nothing to open. */
  readonly size?: number;
  readonly isOpen: boolean;
}

/** Whether a node is open that the person has not touched: the first levels of small trees. */
function isOpenAtFirst(depth: number, size: number): boolean {
  return depth < 2 && size <= 50;
}

/**
 * The visible lines of a tree, in order. Closed nodes are not read, so that a tree costs what is open of it.
 *
 * @param toggled The pointers of the nodes that are not as `isOpenAtFirst` has them.
 */
export function jsonRows(root: ExactJson, toggled: ReadonlySet<string>): readonly JsonRow[] {
  const rows: JsonRow[] = [];
  const visit = (
    value: ExactJson,
    pointer: string,
    depth: number,
    name?: string | number,
  ): void => {
    const label = name === undefined ? {} : { name };
    if (typeof value !== "object" || value === null || value instanceof ExactNumber) {
      rows.push({ pointer, depth, ...label, value, isOpen: false });
      return;
    }
    const isArray = Array.isArray(value);
    const keys = isArray ? [] : Object.keys(value);
    const size = isArray ? value.length : keys.length;
    if (size === 0) {
      rows.push({ pointer, depth, ...label, value, isOpen: false });
      return;
    }
    const isOpen = isOpenAtFirst(depth, size) !== toggled.has(pointer);
    rows.push({ pointer, depth, ...label, value, size, isOpen });
    if (!isOpen) return;
    if (isArray) {
      for (let index = 0; index < size; index++) {
        visit(value[index] as ExactJson, `${pointer}/${index}`, depth + 1, index);
      }
      return;
    }
    const members = value as Readonly<Record<string, ExactJson>>;
    for (const key of keys) {
      const escaped = key.replaceAll("~", "~0").replaceAll("/", "~1");
      visit(members[key] as ExactJson, `${pointer}/${escaped}`, depth + 1, key);
    }
  };
  visit(root, "", 0);
  return rows;
}

/** A scalar or a closed node in a few words. */
export function previewValue(value: ExactJson): string {
  if (value instanceof ExactNumber) return value.digits;
  if (Array.isArray(value)) return value.length === 0 ? "[]" : `[ ${value.length} ]`;
  if (typeof value === "object" && value !== null) {
    const keys = Object.keys(value);
    if (keys.length === 0) return "{}";
    const names = keys.slice(0, 4).join(", ");
    return `{ ${names}${keys.length > 4 ? `, … ${keys.length} members` : ""} }`;
  }
  return JSON.stringify(value);
}
