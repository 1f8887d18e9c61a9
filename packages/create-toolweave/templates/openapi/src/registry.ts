import { fileURLToPath } from "node:url";
import { ToolRegistry } from "@toolweave/core";
import { openApiSource } from "@toolweave/openapi";

/** The document of the API: put your own in its place, or a URL. */
const document = fileURLToPath(new URL("../shop.openapi.json", import.meta.url));

/**
 * Makes a tool of every operation of the API.
 *
 * @param baseUrl the address of the API. Default: the first server of the document.
 * @param token sent as a bearer token. Default: none.
 */
export async function loadRegistry(baseUrl?: string, token?: string): Promise<ToolRegistry> {
  const source = openApiSource(document, {
    ...(baseUrl === undefined ? {} : { baseUrl }),
    ...(token === undefined ? {} : { auth: { bearer: token } }),
  });
  const registry = new ToolRegistry([source]);
  await registry.ready;
  return registry;
}
