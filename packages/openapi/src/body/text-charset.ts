import { mediaTypeParameter } from "../document/media-type.ts";
import { assertWellFormed, unrepresentableValue } from "../parameters/unrepresentable.ts";

/** Makes the bytes of a text. Throws `ToolError` `invalid_arguments` for characters that the charset does not have. */
export type TextEncoding = (text: string, argument: string) => string | Uint8Array;

const utf8: TextEncoding = (text, argument) => {
  assertWellFormed(text, argument);
  return text;
};

/** Charsets whose characters are the first ones of Unicode, and how many. */
const lastCharacters: ReadonlyMap<string, number> = new Map([
  ["us-ascii", 0x7f],
  ["ascii", 0x7f],
  ["iso-8859-1", 0xff],
  ["latin1", 0xff],
]);

/**
 * How text of a media type becomes bytes: by its `charset` (RFC 9110 section 8.3.2), without one UTF-8. A charset that
 * cannot be written refuses every text.
 */
export function textEncoding(mediaType: string): TextEncoding {
  const charset = mediaTypeParameter(mediaType, "charset")?.toLowerCase();
  if (charset === undefined || charset === "utf-8" || charset === "utf8") return utf8;
  if (charset === "utf-16le") {
    return (text, argument) => {
      assertWellFormed(text, argument);
      return Buffer.from(text, "utf16le");
    };
  }
  const last = lastCharacters.get(charset);
  return (text, argument) => {
    if (last === undefined) {
      throw unrepresentableValue(
        argument,
        `is sent as ${charset.slice(0, 40)}, which is not supported: use another tool.`,
      );
    }
    for (let index = 0; index < text.length; index++) {
      if (text.charCodeAt(index) > last) {
        throw unrepresentableValue(
          argument,
          `is sent as ${charset}, which has not all of its characters: leave them out.`,
        );
      }
    }
    return Buffer.from(text, "latin1");
  };
}
