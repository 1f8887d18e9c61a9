import type { Recorded } from "@toolweave/test-support/recording-server";
import type { CheckedCall } from "./check-document.ts";
import { clientFaults } from "./client-faults.ts";
import type { OracleFault } from "./oracle-fault.ts";

const both = ["prism", "openapi-backend"];
const prism = ["prism"];
const backend = ["openapi-backend"];

/** An objection that none of these explains is a fault of ours. */
export const oracleFaults: readonly OracleFault[] = [
  {
    id: "reserved-header",
    oracles: both,
    because:
      "It rejects a request for a header parameter called Accept, Content-Type or Authorization. OpenAPI 3.0.4, 3.1.1 and 3.2.0, Parameter Object, `name`: such a definition SHALL be ignored.",
    explains: ({ rule, message }) =>
      /^header\.(?:accept|content-type|authorization) /.test(rule) ||
      (rule === "header [required]" && /'(?:accept|content-type|authorization)'/.test(message)),
  },
  {
    id: "number-or-text",
    oracles: both,
    because:
      "The path value may be an integer or else a text, exactly one of them. It turns the digits on the wire into a number, after which both branches match. JSON Schema 2020-12 validation, section 6.1.1: a value has one type; the value that was passed is an integer, and no text.",
    explains({ rule, message }, { request }) {
      return (
        /^path\.\w+ \[oneOf\]$/.test(rule) &&
        message.includes("exactly one") &&
        /\/\d+(?:\/|$)/.test(request?.path ?? "")
      );
    },
  },
  {
    id: "path-list-breakdown",
    oracles: prism,
    because:
      "It splits a path value at its commas when it matches the template, and fails when it does that again for a list or an object. OpenAPI 3.1.1, Parameter Object, Style Values: `simple`, `label` and `matrix` take lists and objects.",
    explains: ({ rule }, { operation, request }) =>
      /^breakdown: (?:value\.split|parameters\[name\]\.startsWith) is not a function$/.test(rule) &&
      operation.includes("{") &&
      (request?.path.includes(",") ?? false),
  },
  {
    id: "absent-header-breakdown",
    oracles: prism,
    because:
      "It fails if an optional header parameter that is a list or an object is not sent. OpenAPI 3.1.1, Parameter Object, `required`: its default is false.",
    explains: ({ rule }, { variant }) =>
      rule === "breakdown: Cannot read properties of undefined (reading 'split')" &&
      variant === "required",
  },
  {
    id: "delimited-object-breakdown",
    oracles: prism,
    because:
      "It supports `spaceDelimited` and `pipeDelimited` for lists only and fails for an object, sent or not. OpenAPI 3.1.1, Parameter Object, Style Values and Style Examples: both take objects.",
    explains: ({ rule }, { operation }) =>
      rule.startsWith(
        "breakdown: Space/pipe/comma.. delimited style is only applicable to array",
      ) && /\/(?:space|pipe)Delimited$/.test(operation),
  },
  {
    id: "multipart-reserved",
    oracles: prism,
    because:
      "It refuses the commas, blanks and bars of a style in a part of multipart/form-data as reserved characters. OpenAPI 3.1.1, Encoding Object, `style`: they are what the style puts there; RFC 7578 section 2: the body of a part is the field's value, and nothing in it is percent-encoded.",
    explains: ({ rule, message }, call) =>
      rule.endsWith("[none]") &&
      message === "Reserved characters used in request body" &&
      isMultipart(call),
  },
  {
    id: "multipart-parts",
    oracles: prism,
    because:
      "It reads every part as text, and of several parts of one name the last. OpenAPI 3.1.1, Encoding Object, `contentType`: an object is sent as application/json; Special Considerations for `multipart` Content: a list is one part for each item (RFC 7578 section 4.3).",
    explains({ rule }, call) {
      const name = /^body\.([\w-]+) \[(?:type|anyOf|oneOf)\]$/.exec(rule)?.[1];
      return name !== undefined && isMultipart(call) && isPart(call, name);
    },
  },
  {
    id: "deep-object-not-sent",
    oracles: prism,
    because:
      "It replaces an optional object that is not sent by one without members, and reports the required ones as missing. JSON Schema 2020-12 validation, section 6.5.3: `required` applies to an object that is present.",
    explains({ rule }, { request }) {
      const path = /^(?:body|query)\.([\w.]+) \[required\]$/.exec(rule)?.[1];
      if (path === undefined || request === undefined) return false;
      if (rule.startsWith("body.") && !isForm(request)) return false;
      const [first, ...rest] = path.split(".");
      const key = `${first}${rest.map((step) => `[${step}]`).join("")}[`;
      const sent = `${request.query}&${request.body.toString()}`
        .replaceAll("%5B", "[")
        .replaceAll("%5D", "]");
      return !`&${sent}`.includes(`&${key}`) && !sent.includes(`"${key}`);
    },
  },
  {
    id: "deep-object-lists",
    oracles: prism,
    because:
      "It expects a list of objects in a `deepObject` form as JSON text. OpenAPI leaves nested values of `deepObject` open (3.1.1, Parameter Object, Style Values); the API's own documentation has brackets for each level.",
    explains: ({ rule, message }, { request }) =>
      rule === "[415]" &&
      message.startsWith("Cannot deserialize JSON object array") &&
      /%5B0%5D%5B/.test(request?.body.toString() ?? ""),
  },
  {
    id: "deep-object-choice",
    oracles: prism,
    because:
      "It does not find a list behind an `anyOf` in a `deepObject` form, and reports it as missing. JSON Schema 2020-12 core, section 10.2.1.2: a value is valid if one of the branches accepts it; the request has the list's items.",
    explains({ rule, message }, { request }) {
      const path = /^body\.([\w.]+) \[required\]$/.exec(rule)?.[1];
      const name = /'(\w+)'$/.exec(message)?.[1];
      if (path === undefined || name === undefined) return false;
      const [first, ...rest] = [...path.split("."), name];
      const key = `${first}${rest.map((step) => `%5B${step}%5D`).join("")}%5B0%5D`;
      return request?.body.includes(`&${key}`) ?? false;
    },
  },
  {
    id: "exploded-object",
    oracles: prism,
    because:
      "It does not see that a query parameter is an object when a `$ref`, a composition or a list of types lies between, or when Swagger 2.0 is not meant to have one, and misses the parameter's own name. OpenAPI 3.1.1, Parameter Object, Style Examples: `form` with `explode` sends the object's members by their names.",
    only: [
      "hey-api-full-2.0/full.yaml#GET /api/v{api-version}/defaults",
      "hey-api-full-2.0/full.yaml#GET /api/v{api-version}/types",
      "hey-api-full-2.0/full.yaml#GET /api/v{api-version}/complex",
      "hey-api-full-3.1/full.yaml#GET /api/v{api-version}/types",
      "hey-api-full-3.1/full.yaml#GET /api/v{api-version}/complex",
      "hey-api-full-3.1/full.yaml#POST /api/v{api-version}/parameters",
    ],
    explains: ({ rule, message }) =>
      rule === "query [required]" &&
      /'parameter(?:model|object|dictionary|reference)?'/.test(message),
  },
  {
    id: "list-or-null",
    oracles: prism,
    because:
      "It reads a query parameter of `type: [array, null]` as a text. JSON Schema 2020-12 validation, section 6.1.1: `type` may be a list; the value is a list, and one of one item looks like a text on the wire.",
    only: [
      "hey-api-full-3.1/full.yaml#GET /api/v{api-version}/types",
      "hey-api-full-3.1/full.yaml#GET /api/v{api-version}/collectionFormat",
    ],
    explains: ({ rule }) => /^query\.parameterarray\w* \[type\]$/.test(rule),
  },
  {
    id: "header-object-or-null",
    oracles: prism,
    because:
      "It does not use the `oneOf` of a header parameter and reads an object as text. OpenAPI 3.1.1, Parameter Object, Style Values: `simple` takes objects.",
    only: ["hey-api-full-3.1/full.yaml#POST /api/v{api-version}/parameters/deprecated"],
    explains: ({ rule }) => /^header\.parameter \[(?:type|oneOf)\]$/.test(rule),
  },
  {
    id: "tabs",
    oracles: prism,
    because:
      "It does not know `collectionFormat: tsv`. Swagger 2.0, Parameter Object: values are separated by tabs.",
    only: ["hey-api-full-2.0/full.yaml#GET /api/v{api-version}/collectionFormat"],
    explains: ({ rule, message }, { request }) =>
      rule === "query [required]" &&
      message.includes("'parameterarraytsv'") &&
      /parameterArrayTSV=[^&]/.test(request?.query ?? ""),
  },
  {
    id: "read-only-in-composition",
    oracles: both,
    because:
      "It asks a request for a required property that is `readOnly`, as soon as a composition or a list lies between (openapi-backend: always). OpenAPI 3.0.4, Schema Object, `readOnly`: SHOULD NOT be sent in a request, and `required` then takes effect on the response only.",
    only: [
      "redocly-cafe-3.2.yaml#POST /menu",
      "hey-api-full-3.1/full.yaml#POST /api/v{api-version}/no+tag",
      "scalar-galaxy-3.1.yaml#POST /celestial-bodies",
    ],
    explains: ({ rule }) =>
      /^(?:body|requestBody)(?:\.prop\.\*|\.orbit\.planet)? \[(?:required|oneOf|enum|additionalProperties)\]$/.test(
        rule,
      ) || /^body\.(?:category|type|volume|calories) \[/.test(rule),
  },
  {
    id: "overlapping-branches",
    oracles: both,
    because:
      "It refuses a value that several branches of `oneOf` accept. It is right by the letter (JSON Schema 2020-12 core, section 10.2.1.3), but the branches of these documents overlap, and only their servers know which one is meant: requests are checked with `anyOf`.",
    only: [
      "github-api-3.0.json#POST /orgs/{org}/projectsV2/{project_number}/items",
      "github-api-3.0.json#POST /users/{username}/projectsV2/{project_number}/items",
      "github-api-3.0.json#POST /repos/{owner}/{repo}/code-scanning/codeql/variant-analyses",
      "digitalocean-multi/DigitalOcean-public.v2.yaml#POST /v2/droplets/actions",
      "hey-api-full-3.1/full.yaml#PUT /api/v{api-version}/complex/{id}",
    ],
    explains: ({ rule, message }) => rule.endsWith(" [oneOf]") && message.includes("exactly one"),
  },
  {
    id: "beside-a-reference",
    oracles: both,
    because:
      "It takes `required: true` beside a parameter's `$ref` into account. OpenAPI 3.2.0, Reference Object: beside `summary` and `description`, added properties SHALL be ignored.",
    only: ["redocly-cafe-3.2.yaml#GET /order-items"],
    explains: ({ rule, message }) => rule === "query [required]" && message.includes("'filter'"),
  },
  {
    id: "no-consumes",
    oracles: prism,
    because:
      "If nothing declares what an operation consumes, it accepts no body. Swagger 2.0, Operation Object, `consumes`: it may be absent; Parameter Object: a body and a form are sent in any case.",
    only: [
      "hey-api-full-2.0/full.yaml#POST /api/v{api-version}/parameters/{parameterPath}",
      "hey-api-full-2.0/full.yaml#POST /api/v{api-version}/parameters/{parameter.path.1}/{parameter-path-2}/{PARAMETER-PATH-3}",
    ],
    explains: ({ rule, message }) =>
      rule === "[415]" && message.startsWith("No supported content types"),
  },
  {
    id: "no-place",
    oracles: prism,
    because:
      "It requires a path parameter that is not in the path template. OpenAPI 3.1.1, Parameter Object, `name`: it MUST correspond to a template expression; the document is wrong, and nothing can be sent.",
    only: ["hey-api-full-3.1/full.yaml#GET /api/v{api-version}/simple:operation"],
    explains: ({ rule, message }) => rule === "path [required]" && message.includes("'foo_param'"),
  },
  {
    id: "form-of-one-text",
    oracles: prism,
    because:
      "The document declares a single binary text as application/x-www-form-urlencoded, which has named fields only. It is sent as it is, and read as fields. OpenAPI 3.1.1, Media Type Object, leaves such a body open.",
    only: ["hey-api-full-3.1/full.yaml#POST /api/v{api-version}/upload"],
    explains: ({ rule }) => rule === "body [type]",
  },
  {
    id: "query-styles",
    oracles: backend,
    because:
      "In the query it knows lists without `explode`, and no objects: it takes the members of one for undeclared parameters, its pieces for a list, and a plain text without `explode` for a list, too. OpenAPI 3.1.1, Parameter Object, Style Examples.",
    only: [
      "readme-parameters-style-3.1.json#GET /anything/query",
      "readme-parameters-style-3.1.json#GET /anything/query/form",
      "readme-parameters-style-3.1.json#POST /anything/query/form",
      "readme-parameters-style-3.1.json#GET /anything/query/spaceDelimited",
      "readme-parameters-style-3.1.json#GET /anything/query/pipeDelimited",
    ],
    explains: ({ rule }) =>
      ["query [additionalProperties]", "query.primitive [type]", "query.object [type]"].includes(
        rule,
      ),
  },
  {
    id: "template-name-with-dots",
    oracles: backend,
    because:
      "It does not match a path template with a dot in a name, and misses all path parameters. OpenAPI 3.1.1, Path Templating: a name is anything but braces.",
    only: [
      "hey-api-full-3.1/full.yaml#POST /api/v{api-version}/parameters/{parameter.path.1}/{parameter-path-2}/{PARAMETER-PATH-3}",
    ],
    explains: ({ rule }) => rule === "path [required]",
  },
  ...clientFaults,
];

function isForm({ headers }: Recorded): boolean {
  return /^(?:multipart\/form-data|application\/x-www-form-urlencoded)/.test(
    headers["content-type"] ?? "",
  );
}

function isMultipart({ request }: CheckedCall): boolean {
  return request?.headers["content-type"]?.startsWith("multipart/form-data") ?? false;
}

function isPart({ request }: CheckedCall, name: string): boolean {
  return request?.body.includes(`name="${name}"`) ?? false;
}
