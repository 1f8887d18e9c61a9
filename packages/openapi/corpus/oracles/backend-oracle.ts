import { OpenAPIBackend, type Document, type Operation } from "openapi-backend";
import { toBreakdown, toRule, type Oracle, type Verdict } from "./oracle.ts";

/**
 * The validation of openapi-backend. It does not read Swagger 2.0, operations without an
 * operationId, and bodies other than JSON; and schemas that its Ajv does not compile prevent its
 * check.
 *
 * @param file the path of the document.
 */
export async function createBackendOracle(file: string): Promise<Oracle> {
  const name = "openapi-backend";
  const api = new LazyBackend({
    definition: file,
    // Compiles the schemas of an operation when it is first asked about.
    quick: true,
    strict: true,
    // Without the meta-schema, which would be compiled for each of them.
    ajvOpts: { logger: false, validateSchema: false },
  });
  try {
    await api.init();
  } catch (error) {
    const cannot = `cannot load the document: ${readMessage(error)}`;
    return { name, check: () => ({ cannot }) };
  }
  const { openapi = "" } = api.definition;
  const operations = new Map(
    api.router.getOperations().map((one) => [`${one.method.toUpperCase()} ${one.path}`, one]),
  );
  const obstacles = new Map<string, string | undefined>();
  const findObstacle = (key: string, operation: Operation | undefined): string | undefined => {
    if (!obstacles.has(key)) {
      obstacles.set(key, openapi === "" ? "no Swagger 2.0" : obstacle(api, operation));
    }
    return obstacles.get(key);
  };
  return {
    name,
    check(method, path, { query, headers, body, path: sent }): Verdict {
      const key = `${method} ${path}`;
      const operation = operations.get(key);
      const cannot = findObstacle(key, operation);
      if (operation === undefined || cannot !== undefined) return { cannot: cannot ?? "" };
      const { "content-type": contentType = "application/json" } = headers;
      if (!/^application\/json\b/i.test(contentType)) return { cannot: "a body that is not JSON" };
      const given = Object.entries(headers).filter(
        (one): one is [string, string] => one[1] !== undefined,
      );
      const request = {
        method,
        path: sent,
        query,
        headers: Object.fromEntries(given),
        ...(body.length === 0 ? {} : { body: body.toString() }),
      };
      try {
        const { errors } = api.validator.validateRequest(request, operation);
        return (errors ?? []).map(({ instancePath, keyword, message = "" }) => ({
          rule: toRule(instancePath.split("/").slice(1), keyword),
          message,
        }));
      } catch (error) {
        return toBreakdown(error);
      }
    },
  };
}

/** The reason why it cannot check an operation, whatever is sent. */
function obstacle(
  api: OpenAPIBackend<Document>,
  operation: Operation | undefined,
): string | undefined {
  if (operation === undefined) return "an operation that it does not see";
  const { operationId, path, parameters = [] } = operation;
  const declared = parameters as readonly Parameter[];
  for (const [, name] of path.matchAll(/\{([^{}]+)\}/g)) {
    // It refuses each value of a name that the document has not declared, and reads a list or an
    // object in these places as text only.
    if (!declared.some((one) => one.in === "path" && one.name === name))
      return "a path name that is not declared";
  }
  if (declared.some(isStructured)) return "a list or an object in a path, a header or a cookie";
  if (operationId === undefined) return "no operationId";
  try {
    api.validator.getRequestValidatorsForOperation(operationId);
    return undefined;
  } catch (error) {
    return `does not compile its schemas: ${readMessage(error)}`;
  }
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly schema?: Schema;
}

interface Schema {
  readonly type?: string | readonly string[];
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
}

function isStructured({ in: place, schema }: Parameter): boolean {
  return place !== "query" && schema !== undefined && allowsStructure(schema);
}

/** References are resolved, so that a schema may contain itself. */
function allowsStructure({ type = [], allOf, anyOf, oneOf }: Schema, depth = 0): boolean {
  const types = [type].flat();
  if (types.includes("array") || types.includes("object")) return true;
  const parts = [allOf ?? [], anyOf ?? [], oneOf ?? []].flat();
  return depth < 5 && parts.some((part) => allowsStructure(part, depth + 1));
}

/** The original text beside the dereferenced document, which nothing here reads: its loading is not awaited, and may fail. */
class LazyBackend extends OpenAPIBackend<Document> {
  override async loadDocument(): Promise<Document> {
    return this.document;
  }
}

function readMessage(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split("\n", 1)[0] as string;
}
