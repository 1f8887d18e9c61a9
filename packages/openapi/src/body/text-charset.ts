import { getMediaTypeParameter } from "../document/media-type.ts";
import { assertWellFormed, unrepresentableValueError } from "../parameters/unrepresentable.ts";

/** Encodes a text. Throws `ToolError` `invalid_arguments` for characters that the charset does not have. */
export type TextEncoding = (text: string, argument: string) => string | Uint8Array;

const utf8: TextEncoding = (text, argument) => {
  assertWellFormed(text, argument);
  return text;
};

/** Charsets whose characters are the first ones of Unicode, and the last character of each. */
const lastCharacters: ReadonlyMap<string, number> = new Map([
  ["us-ascii", 0x7f],
  ["ascii", 0x7f],
  ["iso-8859-1", 0xff],
  ["latin1", 0xff],
]);

/**
 * Returns the encoding of texts of a media type: that of its `charset` (RFC 9110 section 8.3.2), else UTF-8. An
 * unsupported charset refuses every text.
 */
export function getTextEncoding(mediaType: string): TextEncoding {
  const charset = getMediaTypeParameter(mediaType, "charset")?.toLowerCase();
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
      throw unrepresentableValueError(
        argument,
        `must be sent as ${charset.slice(0, 40)}, which is not supported: use another tool.`,
      );
    }
    for (let index = 0; index < text.length; index++) {
      if (text.charCodeAt(index) > last) {
        throw unrepresentableValueError(
          argument,
          `must be sent as ${charset}, which does not have all of its characters: remove them.`,
        );
      }
    }
    return Buffer.from(text, "latin1");
  };
}
