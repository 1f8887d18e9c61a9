import {
  ajvValidator,
  ToolError,
  ToolExecutor,
  ToolRegistry,
  type JsonObject,
  type JsonValue,
  type PolicyInput,
} from "@toolweave/core";
import {
  childPointer,
  isObject,
  nearNames,
  parsePointer,
  resolvePointer,
} from "@toolweave/core/adapter";
import { interpretedValidator } from "@toolweave/core/interpreted-validator";
import configSchema from "../toolweave.schema.json" with { type: "json" };
import type { ConfigReader } from "./config-reader.ts";

/** The blocks that other hosts write, too: what only they know is no fault of the file's. */
const foreign = /^\/(?:mcpServers|servers|inputs)\//;

/**
 * Checks that a configuration matches its schema. Unknown keys are faults in this package's own blocks, with the key
 * that was probably meant, and warnings in those of other hosts.
 */
export async function checkConfig(value: JsonValue, reader: ConfigReader): Promise<void> {
  if (!isObject(value)) {
    reader.fault("", 'this must be one object, such as { "mcpServers": {} }');
    return;
  }
  // Without its description of itself: the validator need not know any other dialect.
  const schema = configSchema as unknown as JsonObject;
  const unknown = checkKeys(value, schema, "", reader);
  const known = reader.isOfOtherHost
    ? Object.fromEntries(
        Object.entries(value).filter(([key]) => Object.hasOwn(configSchema.properties, key)),
      )
    : value;
  // Compiling this schema takes 300 ms of CPU time, and interpreting it 10 ms. Only the errors of the compiled one are
  // written for people.
  if ((await interpretedValidator().compile(schema))(known) === undefined) return;
  const check = await ajvValidator().compile(schema);
  // Unknown keys have been reported, with those that were meant.
  const problems = (check(known) ?? []).filter(({ message }) => message !== unknownKey);
  for (const { path, message } of problems) {
    // Of a key that is misspelt it has been said already.
    if (message === missingKey && unknown.some(({ meant }) => meant === path)) continue;
    const isSaidBetter = problems.some((other) => other.path === path && !isAboutShapes(other));
    const isUnknownKey = unknown.some(({ pointer }) => pointer.startsWith(`${path}/`));
    if (isAboutShapes({ message }) && (isSaidBetter || isUnknownKey)) continue;
    const key = parsePointer(path).at(-1) ?? "";
    const hint = nearValueHint(message, resolvePointer(value, path));
    reader.fault(path, path === "" ? `this ${message}` : `"${key}" ${message}${hint}`);
  }
}

// The texts of core's validator.
const unknownKey = "is not a known property";
const missingKey = "is required";
const isAboutShapes = ({ message }: { readonly message: string }): boolean =>
  message.startsWith("must have one of the allowed shapes");

/** The value that was probably meant, for a text that is none of the allowed ones. */
function nearValueHint(message: string, value: unknown): string {
  const [, listed] = /^must be one of ("[^"]*"(?:, "[^"]*")*)$/.exec(message) ?? [];
  if (listed === undefined || typeof value !== "string") return "";
  const [near] = nearNames(value, JSON.parse(`[${listed}]`) as string[], 1);
  return near === undefined ? "" : `. Did you mean "${near}"?`;
}

/** An unknown key, and the one that was probably meant. */
interface UnknownKey {
  readonly pointer: string;
  readonly meant: string | undefined;
}

/** Reports unknown keys. */
function checkKeys(
  value: JsonObject,
  schema: JsonObject,
  at: string,
  reader: ConfigReader,
): readonly UnknownKey[] {
  const properties = (schema["properties"] ?? {}) as Readonly<Record<string, JsonObject>>;
  const others = schema["additionalProperties"];
  return Object.entries(value).flatMap(([key, member]) => {
    const pointer = childPointer(at, key);
    const own = Object.hasOwn(properties, key) ? properties[key] : undefined;
    const next = own ?? (isObject(others) ? others : undefined);
    if (next !== undefined) return checkMember(member as JsonValue, next, pointer, reader);
    const near = reportKey(key, pointer, schema, reader, at === "" && reader.isOfOtherHost);
    return [{ pointer, meant: near === undefined ? undefined : childPointer(at, near) }];
  });
}

function checkMember(
  member: JsonValue,
  schema: JsonObject,
  pointer: string,
  reader: ConfigReader,
): readonly UnknownKey[] {
  if (Array.isArray(member)) {
    const { items } = schema;
    if (!isObject(items)) return [];
    return member.flatMap((item, index) =>
      checkMember(item as JsonValue, items, `${pointer}/${index}`, reader),
    );
  }
  const shape = findObjectShape(schema);
  return isObject(member) && shape !== undefined ? checkKeys(member, shape, pointer, reader) : [];
}

/** The schema of an object's members; of several shapes, the only one that is about them. */
function findObjectShape(schema: JsonObject): JsonObject | undefined {
  const shapes = Array.isArray(schema["anyOf"]) ? (schema["anyOf"] as JsonObject[]) : [schema];
  const [shape, ...others] = shapes.filter(
    (one) => (one["properties"] ?? one["additionalProperties"]) !== undefined,
  );
  return others.length === 0 ? shape : undefined;
}

/** Returns the key that was probably meant. */
function reportKey(
  key: string,
  pointer: string,
  schema: JsonObject,
  reader: ConfigReader,
  isOfHost: boolean,
): string | undefined {
  const isStrict = schema["additionalProperties"] === false;
  const isForeign = foreign.test(pointer);
  if (!isStrict && !isForeign) return undefined;
  const known = Object.keys((schema["properties"] ?? {}) as JsonObject);
  const [near] = nearNames(key, known, 1);
  const listed = isForeign ? "" : ` The options here are ${known.join(", ")}.`;
  const hint = near === undefined ? listed : ` Did you mean "${near}"?`;
  const message = `Unknown option "${key.slice(0, 60)}".${hint}`;
  // A key that may be meant for this package is a fault: a policy must not be ignored.
  if (isOfHost && near === undefined) {
    reader.warn(pointer, `"${key.slice(0, 60)}" is ignored: it is a setting of another host`);
    return undefined;
  }
  const why = Object.hasOwn(ignored, key) ? ignored[key] : undefined;
  if (isForeign) reader.warn(pointer, why ?? misplacedOption(key, pointer) ?? message);
  else reader.fault(pointer, message);
  return near;
}

const serverOptions: readonly string[] = Object.keys(
  configSchema.properties.mcp.additionalProperties.properties,
);

/** The warning about an option of `mcp` that is written where the server stands; `undefined`: it is none. */
function misplacedOption(key: string, pointer: string): string | undefined {
  const [, name] = /^\/(?:mcpServers|servers)\/([^/]*)\/[^/]*$/.exec(pointer) ?? [];
  if (name === undefined || !serverOptions.includes(key)) return undefined;
  const server = JSON.stringify(name.replaceAll("~1", "/").replaceAll("~0", "~"));
  const value = key === "trustAnnotations" ? "true" : "…";
  return `"${key}" is ignored here: write it into "mcp": { ${server}: { "${key}": ${value} } }`;
}

const approvals =
  'is ignored: what runs without a question is for `policy` to say, as { "effect": "allow", "tools": "…" }';

/** Keys of other hosts, and why they are not supported. */
const ignored: Readonly<Record<string, string>> = {
  alwaysAllow: `"alwaysAllow" ${approvals}`,
  autoApprove: `"autoApprove" ${approvals}`,
  autoapprove: `"autoapprove" ${approvals}`,
  trust: `"trust" ${approvals}`,
  auth: '"auth" is ignored: write it in "mcp", under the name of the server',
  oauth: '"oauth" is ignored: write it as "auth" in "mcp", under the name of the server',
  timeout:
    '"timeout" is ignored, since hosts write it in different units: use "timeoutMs" in "mcp"',
};

/** The policy of the whole configuration. */
export function configuredPolicy(
  config: JsonObject,
  reader: ConfigReader,
): PolicyInput | undefined {
  if (config["policy"] === undefined) return undefined;
  const { faults } = reader;
  const policy = reader.resolved(config["policy"] as JsonValue, "/policy");
  // The problem of a text without its value is reported already.
  if (reader.faults === faults) checkPolicy(policy, "/policy", reader);
  return policy as unknown as PolicyInput;
}

/** Looks whether an executor takes a policy, and warns of rules that can never match. */
export function checkPolicy(policy: JsonValue, pointer: string, reader: ConfigReader): void {
  try {
    const executor = new ToolExecutor({
      registry: new ToolRegistry(),
      policy: policy as unknown as PolicyInput,
    });
    for (const { where, message } of executor.configurationWarnings()) {
      reader.warn(pointer + pointerTo(where, Array.isArray(policy)), message);
    }
  } catch (error) {
    if (!ToolError.is(error)) throw error;
    const { message } = error;
    const [where = "policy"] = /^policy(?:\[\d+\]|\.[a-zA-Z]+)*/.exec(message) ?? [];
    const place = pointer + pointerTo(where, Array.isArray(policy));
    const [, key, hint] = /^[^:]*: unknown option "([^"]*)"\.(.*)$/s.exec(message) ?? [];
    if (key === undefined) return reader.fault(place, message);
    const quoted = String(hint).replace(/Did you mean (\S+)\?/, 'Did you mean "$1"?');
    reader.fault(childPointer(place, key), `Unknown option "${key}" in ${where}.${quoted}`);
  }
}

/** `policy[1].rules[0].tools` as a JSON pointer below the policy. A list of one is named like no list. */
function pointerTo(where: string, isList: boolean): string {
  const path = where
    .replace(/^policy/, "")
    .replace(/\[(\d+)\]/g, "/$1")
    .replaceAll(".", "/");
  return isList && where.startsWith("policy.") ? `/0${path}` : path;
}
