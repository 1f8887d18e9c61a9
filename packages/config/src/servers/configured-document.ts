import type { JsonObject } from "@toolweave/core";
import { childPointer } from "@toolweave/core/adapter";
import type { CredentialStore } from "@toolweave/core/stores";
import { resolve } from "node:path";
import type { OpenApiOptions } from "@toolweave/openapi";
import type { ConfigReader } from "../reading/config-reader.ts";
import { isLeftOut } from "./written-server.ts";

/** An OpenAPI document of the configuration, ready for `openApiSource`. */
export interface ConfiguredDocument {
  readonly pointer: string;
  /** A URL, or an absolute path. */
  readonly location: { readonly url: string } | { readonly file: string };
  readonly options: OpenApiOptions;
  /** Values that came from the environment. */
  readonly secrets: readonly string[];
}

/** The documents of `openapi`; their names are the sources' ids. */
export function configuredDocuments(
  config: JsonObject,
  folder: string,
  reader: ConfigReader,
  credentials: CredentialStore | undefined,
): ConfiguredDocument[] {
  const entries = (config["openapi"] ?? {}) as Readonly<Record<string, JsonObject>>;
  return Object.entries(entries).flatMap(([name, written]) => {
    if (isLeftOut(written)) return [];
    const pointer = childPointer("/openapi", name);
    const before = reader.taken.length;
    const { url, file, disabled: _, auth, ...rest } = reader.resolved(written, pointer);
    const secrets = reader.taken.slice(before).map(({ value }) => value);
    if ((url === undefined) === (file === undefined)) {
      reader.fault(pointer, 'where the document is has to be said once: "url" or "file"');
      return [];
    }
    const { allowReferences, ...others } = rest as OpenApiOptions;
    const placed = (place: string): string =>
      /^(?:https?|file):/i.test(place) ? place : resolve(folder, place);
    const options: OpenApiOptions = {
      ...others,
      id: name,
      ...(allowReferences === undefined ? {} : { allowReferences: allowReferences.map(placed) }),
      ...(auth === undefined
        ? {}
        : {
            auth: {
              ...(auth as NonNullable<OpenApiOptions["auth"]>),
              ...(credentials === undefined ? {} : { store: credentials }),
            },
          }),
    };
    const location =
      url === undefined ? { file: resolve(folder, file as string) } : { url: url as string };
    return [{ pointer, location, options, secrets }];
  });
}
