import { getSides, type OracleFault } from "./oracle-fault.ts";

const client = ["swagger-client"];

/** The reasons why swagger-client makes another request of the same values. */
export const clientFaults: readonly OracleFault[] = [
  {
    id: "client-reserved-header",
    oracles: client,
    because:
      "It requires a header parameter called Accept, Content-Type or Authorization. OpenAPI 3.0.4, 3.1.1 and 3.2.0, Parameter Object, `name`: such a definition SHALL be ignored.",
    explains: ({ rule }) =>
      /^breakdown: Required parameter (?:Accept|Content-Type|Authorization) /i.test(rule),
  },
  {
    id: "client-cookies",
    oracles: client,
    because:
      "Of several cookies it sends the last one only, and it writes an exploded object under the name of its parameter. RFC 6265 section 4.2.1: a cookie header has all pairs; OpenAPI 3.1.1, Style Examples: `form` with `explode` sends the members by their names.",
    explains: ({ rule }, { request }) =>
      rule === "cookie [differs]" && /;|name,/.test(request?.headers["cookie"] ?? ""),
  },
  {
    id: "client-label",
    oracles: client,
    because:
      "It separates the members of a label without `explode` by full stops, as the tables of OpenAPI 3.0.0 to 3.0.3 and 3.1.0 do. OpenAPI 3.1.1, Style Examples, and RFC 6570 section 3.2.5: commas. `delimiters` in `overrides` sends full stops.",
    explains({ rule, message }) {
      const { sent, made } = getSides(message);
      return rule === "path [differs]" && sent.includes("/.") && sent.replaceAll(",", ".") === made;
    },
  },
  {
    id: "client-delimiters",
    oracles: client,
    because:
      "It writes objects of `pipeDelimited` and `spaceDelimited` with commas, and a bar in a query without encoding, a blank in multipart with it. OpenAPI 3.1.1, Style Examples: `%7C` and `%20`; RFC 3986 appendix A: a query has no bar; RFC 7578 section 2: nothing is encoded in a part.",
    explains({ rule, message }) {
      const { sent, made } = getSides(message);
      const [own, other] = [sent, made].map((text) => text.replaceAll(/%7C|%20| /g, "|"));
      return (
        /^(?:query|body)\./.test(rule) && (own === other || own?.replaceAll("|", ",") === other)
      );
    },
  },
  {
    id: "client-deep-object",
    oracles: client,
    because:
      "It writes a `deepObject` of one level: a list repeats its name, and a nested value is JSON. OpenAPI leaves both open (3.1.1, Style Values); servers that read brackets expect them at each level.",
    explains({ rule, message }) {
      const { sent, made } = getSides(message);
      const nested = /(?:%5D|\])(?:%5B|\[)|(?:%5B|\[)0(?:%5D|\])/;
      return /^(?:query|body)\./.test(rule) && nested.test(sent) && !nested.test(made);
    },
  },
  {
    id: "client-empty-text",
    oracles: client,
    because:
      "It does not send an empty text in a query. OpenAPI 3.1.1, Style Examples, `form`: an empty text is `color=`.",
    explains({ rule, message }) {
      const { sent, made } = getSides(message);
      return rule.startsWith("query.") && /^"[^=]+="$/.test(sent) && made === "undefined";
    },
  },
  {
    id: "client-empty-object",
    oracles: client,
    because:
      "It sends an object without members in a form as `{}`, which no other value of a form has. OpenAPI leaves empty objects open (RFC 6570 section 2.3: undefined values are not sent).",
    explains({ rule, message }) {
      const { sent, made } = getSides(message);
      return rule.startsWith("body.") && made.includes("%7B%7D") && !sent.includes("%7B%7D");
    },
  },
  {
    id: "client-null",
    oracles: client,
    because:
      "It sends null in a form as the text `null`. OpenAPI leaves null open there (RFC 6570 section 2.3: undefined values are not sent), and a text is another value.",
    explains({ rule, message }) {
      const { sent, made } = getSides(message);
      return rule.startsWith("body.") && sent === "undefined" && /^"(?:[^=]+=)?null"$/.test(made);
    },
  },
  {
    id: "client-list-in-object",
    oracles: client,
    because:
      "It writes a list within an exploded object as JSON. OpenAPI leaves it open (3.2.0, appendix C); the name is repeated, as for a list.",
    explains({ rule, message }) {
      const { sent, made } = getSides(message);
      return rule.startsWith("query.") && sent.includes("&") && made.includes("=%5B");
    },
  },
  {
    id: "client-text-as-number",
    oracles: client,
    because:
      "It parses the texts of a form as JSON and writes the result: `1e8` becomes `100000000`. JSON Schema 2020-12 validation, section 6.1.1: the value is a text.",
    explains({ rule, message }) {
      const { sent, made } = getSides(message);
      return rule.startsWith("body.") && sent.endsWith('=1e8"') && made.endsWith('=100000000"');
    },
  },
  {
    id: "client-template",
    oracles: client,
    because:
      "It fills no template with characters beyond ASCII. OpenAPI 3.1.1, Path Templating: any text but braces may stand around an expression.",
    explains: ({ rule, message }, { operation }) =>
      rule === "path [differs]" && /[^ -~]/.test(operation) && getSides(message).made.includes("{"),
  },
  {
    id: "client-swagger-objects",
    oracles: client,
    because:
      "It writes an object in a query of Swagger 2.0, which is not meant to have one, as an empty text. There is no rule; the members are sent by their names, as in OpenAPI 3.",
    only: [
      "hey-api-full-2.0/full.yaml#GET /api/v{api-version}/defaults",
      "hey-api-full-2.0/full.yaml#GET /api/v{api-version}/types",
      "hey-api-full-2.0/full.yaml#GET /api/v{api-version}/complex",
    ],
    explains: ({ rule }) => /^query\.\S+ \[differs\]$/.test(rule),
  },
  {
    id: "client-defaults",
    oracles: client,
    because:
      "It sends the defaults of parameters that the call does not have. Swagger 2.0, Parameter Object, `default`: what the server uses if none is provided.",
    only: [
      "hey-api-full-2.0/full.yaml#POST /api/v{api-version}/defaults",
      "hey-api-full-2.0/full.yaml#PUT /api/v{api-version}/defaults",
    ],
    explains: ({ rule, message }) =>
      rule.startsWith("query.parameter") && getSides(message).sent === "undefined",
  },
  {
    id: "client-no-place",
    oracles: client,
    because:
      "It requires a path parameter that is not in the path template. OpenAPI 3.1.1, Parameter Object, `name`: it MUST correspond to a template expression; the document is wrong, and nothing can be sent.",
    only: ["hey-api-full-3.1/full.yaml#GET /api/v{api-version}/simple:operation"],
    explains: ({ rule }) => rule === "breakdown: Required parameter foo_param is not provided",
  },
  {
    id: "client-form-of-one-text",
    oracles: client,
    because:
      "It sends no form that is one text. The document declares a single binary text as application/x-www-form-urlencoded, which has named fields only; OpenAPI 3.1.1, Media Type Object, leaves such a body open.",
    only: ["hey-api-full-3.1/full.yaml#POST /api/v{api-version}/upload"],
    explains: ({ rule }) => /^body\.\S+ \[differs\]$/.test(rule),
  },
];
