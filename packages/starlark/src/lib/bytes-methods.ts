import type { StarlarkBytes } from "../values/bytes.ts";
import { BytesElements } from "../values/string-view.ts";
import { unpackPositional } from "./arguments.ts";
import type { Method } from "./method.ts";

/** The methods of bytes. */
export const bytesMethods: Record<string, Method<StarlarkBytes>> = {
  elems: (bytes, args, named) => {
    unpackPositional("elems", args, named, 0, []);
    return new BytesElements(bytes);
  },
};
