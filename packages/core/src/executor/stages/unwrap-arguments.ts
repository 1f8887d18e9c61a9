import type { JsonSchema } from "../../json/json.ts";

/** Member names with which models wrap the arguments of a tool. */
const envelopes: ReadonlySet<string> = new Set([
  "properties",
  "arguments",
  "args",
  "parameters",
  "params",
  "param",
  "input",
]);

/** Maximum number of layers to unwrap: a fenced text with an encoded envelope of encoded arguments. */
const maxLayers = 4;

/** Yields candidates for the arguments, unwrapped layer by layer: fences, JSON texts, envelopes. */
export function* unwrapArguments(sent: unknown, schema: JsonSchema): Generator<object> {
  let value = sent;
  for (let layer = 0; layer < maxLayers; layer++) {
    value = typeof value === "string" ? decoded(value) : contentOf(value, schema);
    if (typeof value === "object" && value !== null) yield value;
    else if (typeof value !== "string") return;
  }
}

function decoded(text: string): unknown {
  let json = text.trim();
  if (json.startsWith("```") && json.endsWith("```")) {
    json = json.slice(3, -3);
    if (/^json/i.test(json)) json = json.slice(4);
  }
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

/** The content of an envelope, unless the tool declares an argument of that name. */
function contentOf(value: unknown, schema: JsonSchema): unknown {
  if (typeof value !== "object" || value === null) return undefined;
  const [key, ...others] = Object.keys(value);
  // Other members beside the envelope must not get lost.
  if (key === undefined || others.length > 0 || !envelopes.has(key)) return undefined;
  const declared = schema["properties"];
  if (typeof declared === "object" && declared !== null && Object.hasOwn(declared, key))
    return undefined;
  return (value as Record<string, unknown>)[key];
}
