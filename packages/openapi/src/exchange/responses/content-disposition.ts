import { displayText } from "@toolweave/core";
import { visibleText } from "@toolweave/core/adapter";

const maxNameLength = 120;

/**
 * Returns the file name in a `Content-Disposition` header (RFC 6266): `filename*` before `filename`; the last part of a
 * path, without control characters, and at most 120 characters. `undefined`: there is no usable name.
 */
export function parseFileName(header: string | undefined): string | undefined {
  if (header === undefined) return undefined;
  const extended = /;\s*filename\*\s*=\s*"?([\w-]+)'[^']*'([^;"\s]+)/i.exec(header);
  const plain = /;\s*filename\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;\s]+))/i.exec(header);
  const said =
    (extended === null ? undefined : decodeExtendedName(extended[1] ?? "", extended[2] ?? "")) ??
    (plain === null ? undefined : (plain[1]?.replace(/\\(.)/g, "$1") ?? plain[2]));
  return said === undefined ? undefined : sanitizeFileName(said);
}

/** Returns the name of a part in `Content-Disposition: form-data; name="…"`. */
export function parsePartName(header: string | undefined): string | undefined {
  if (header === undefined) return undefined;
  const found = /;\s*name\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;\s]+))/i.exec(header);
  return found?.[1]?.replace(/\\(.)/g, "$1") ?? found?.[2];
}

/** RFC 8187: percent-encoded bytes in UTF-8 or ISO-8859-1. */
function decodeExtendedName(charset: string, encoded: string): string | undefined {
  const bytes = Buffer.from(
    encoded.replace(/%([\da-f]{2})/gi, (_, hex: string) => String.fromCharCode(parseInt(hex, 16))),
    "latin1",
  );
  if (/^utf-8$/i.test(charset)) return bytes.toString("utf8");
  return /^iso-8859-1$/i.test(charset) ? bytes.toString("latin1") : undefined;
}

/**
 * Sanitizes a file name: the last part of a path, without characters that control a path or a terminal. `undefined`: no
 * character remains.
 */
export function sanitizeFileName(said: string): string | undefined {
  const last = said.split(/[/\\]/).at(-1) ?? "";
  // Names arrive as Latin-1, but servers send UTF-8.
  const utf8 = Buffer.from(last, "latin1").toString();
  const text = /[\u0080-\u00ff]/.test(last) && !utf8.includes("\ufffd") ? utf8 : last;
  const clean = Array.from(visibleText(text))
    .filter((character) => displayText(character) === character)
    .join("")
    .replace(/[\t\n\r<>:"|?*]/g, "")
    .trim()
    .replace(/^\.+/, "");
  if (clean === "") return undefined;
  if (clean.length <= maxNameLength) return clean;
  return clean.slice(-maxNameLength).replace(/^[\udc00-\udfff]/, "");
}
