import type { JsonValue } from "@toolweave/core";
import { isObject } from "../schema/schema-keywords.ts";

/** More and larger ones than any tool has. */
const mostIcons = 16;
const longestSource = 256 * 1024;

/**
 * The icons that a host may show: those over https and those that bring their image along. Others could reach what only
 * the user's machine reaches, or run.
 */
export function sanitizeIcons(icons: unknown): JsonValue[] | undefined {
  if (!Array.isArray(icons)) return undefined;
  const shown = (icons as readonly JsonValue[]).filter(
    (icon) => isObject(icon) && typeof icon["src"] === "string" && isShown(icon["src"]),
  );
  return shown.length === 0 ? undefined : shown.slice(0, mostIcons);
}

function isShown(src: string): boolean {
  if (src.length > longestSource) return false;
  return /^data:image\/[\w.+-]+[;,]/i.test(src) || URL.parse(src)?.protocol === "https:";
}
