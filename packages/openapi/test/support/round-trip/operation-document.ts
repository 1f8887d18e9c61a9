import type { JsonObject, JsonValue } from "@toolweave/core";
import type { DrawnBody, DrawnOperation, DrawnParameter } from "./random-operation.ts";
import type { Target } from "./random-schema.ts";

/** The document that declares an operation. */
export function createDocument(operation: DrawnOperation): JsonObject {
  const to: Target = { version: operation.version, schemas: {} };
  const { body, parameters, method } = operation;
  const declared = parameters.map((parameter) => parameterObject(parameter, to));
  const content = body === undefined ? undefined : createContent(body, to);
  return {
    openapi: operation.version,
    info: { title: "Random", version: "1" },
    paths: {
      [createPath(operation)]: {
        [method]: {
          operationId: "op",
          parameters: declared,
          ...(content === undefined
            ? {}
            : { requestBody: { required: body?.required === true, content } }),
          responses: { 204: { description: "done" } },
        },
      },
    },
    components: { schemas: to.schemas },
  };
}

/** The template of its path. */
function createPath({ texts: between, parameters }: DrawnOperation): string {
  const inPath = parameters.filter((parameter) => parameter.in === "path");
  return (
    inPath.map(({ name }, index) => `${index === 0 ? "/p/" : between[index]}{${name}}`).join("") ||
    "/p"
  );
}

function parameterObject(parameter: DrawnParameter, to: Target): JsonObject {
  const { name, in: place, style, explode, allowReserved, required, isJson, sample } = parameter;
  const schema = sample.declare(to);
  return isJson
    ? { name, in: place, required, content: { "application/json": { schema } } }
    : {
        name,
        in: place,
        required,
        style,
        explode,
        ...(allowReserved ? { allowReserved } : {}),
        schema,
      };
}

function createContent({ mediaType, sample, fields }: DrawnBody, to: Target): JsonObject {
  const encoding = Object.fromEntries(
    fields.flatMap(({ name, encoding: own }): [string, JsonValue][] =>
      own === undefined ? [] : [[name, { ...own }]],
    ),
  );
  return {
    [mediaType]: {
      schema: sample.declare(to),
      ...(Object.keys(encoding).length === 0 ? {} : { encoding }),
    },
  };
}
