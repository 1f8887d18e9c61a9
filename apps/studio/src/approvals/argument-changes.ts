import type { MemberChangeText } from "@toolweave/console";
import { isSameNumber } from "@toolweave/core/adapter";
import type { FormNode } from "../json/node.ts";
import { compactJson, jsonText } from "../json/write-json.ts";

/**
 * The differences between two JSON values, member by member, with JSON pointers. Arrays of different lengths differ as a
 * whole.
 */
export function argumentChanges(
  before: FormNode,
  after: FormNode,
  pointer = "",
): readonly MemberChangeText[] {
  if (before.kind === "object" && after.kind === "object") {
    const names = [...new Set([...before.members.keys(), ...after.members.keys()])];
    return names.flatMap((name) => {
      const path = `${pointer}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
      const old = before.members.get(name);
      const next = after.members.get(name);
      if (old !== undefined && next !== undefined) return argumentChanges(old, next, path);
      if (next !== undefined) return [{ path, after: jsonText(next), text: "is added" }];
      return old === undefined ? [] : [{ path, before: jsonText(old), text: "is removed" }];
    });
  }
  if (
    before.kind === "array" &&
    after.kind === "array" &&
    before.items.length === after.items.length
  ) {
    return before.items.flatMap((item, index) => {
      const next = after.items[index];
      return next === undefined ? [] : argumentChanges(item, next, `${pointer}/${index}`);
    });
  }
  if (isSame(before, after)) return [];
  return [
    {
      path: pointer === "" ? "/" : pointer,
      before: jsonText(before),
      after: jsonText(after),
      text: "is different",
    },
  ];
}

function isSame(before: FormNode, after: FormNode): boolean {
  if (before.kind === "number" && after.kind === "number")
    return isSameNumber(before.text, after.text);
  return before.kind === after.kind && compactJson(before) === compactJson(after);
}
