import { StarlarkError } from "@toolweave/starlark";
import type { HostValue } from "@toolweave/starlark";
import type {
  BuiltinArguments,
  BuiltinFunction,
  BuiltinParameter,
  BuiltinType,
} from "./builtin.ts";

/** The name of a function as scripts write it: `exec.run`. */
export function qualifiedName({ module, name }: Pick<BuiltinFunction, "module" | "name">): string {
  return module === undefined || module === name ? name : `${module}.${name}`;
}

/** The names of the arguments that a call gave, without those that have their default. */
const givenNames = new WeakMap<BuiltinArguments, readonly string[]>();

/** The arguments of `bindArguments` that the call gave itself. */
export function givenArguments(args: BuiltinArguments): BuiltinArguments {
  const names = givenNames.get(args) ?? Object.keys(args);
  return Object.fromEntries(names.map((name) => [name, args[name]]));
}

/**
 * The arguments of a call by parameter, checked.
 *
 * @throws StarlarkError `execution_failed` for arguments that do not match the parameters.
 */
export function bindArguments(
  fn: Pick<BuiltinFunction, "module" | "name" | "parameters">,
  positional: readonly HostValue[],
  named: Readonly<Record<string, HostValue>>,
): BuiltinArguments {
  const { parameters } = fn;
  const bound: Record<string, HostValue> = Object.create(null) as Record<string, HostValue>;
  const rest = parameters.find(({ isRest }) => isRest === true);
  const single = parameters.filter((parameter) => parameter !== rest);
  if (rest === undefined && positional.length > single.length) {
    reject(fn, `got ${positional.length} arguments, want at most ${single.length}`);
  }
  single.forEach((parameter, index) => {
    if (index < positional.length)
      bound[parameter.name] = checked(fn, parameter, positional[index]);
  });
  if (rest !== undefined) bound[rest.name] = positional.slice(single.length);
  for (const [name, value] of Object.entries(named)) {
    const parameter = single.find((each) => each.name === name);
    if (parameter === undefined) reject(fn, `unexpected keyword argument ${name}`);
    if (name in bound) reject(fn, `got multiple values for parameter ${name}`);
    bound[name] = checked(fn, parameter, value);
  }
  givenNames.set(bound, Object.keys(bound));
  for (const { name, default: fallback } of single) {
    if (name in bound) continue;
    if (fallback === undefined) reject(fn, `missing argument for ${name}`);
    bound[name] = fallback as HostValue;
  }
  return bound;
}

function checked(
  fn: Pick<BuiltinFunction, "module" | "name">,
  { name, type, default: fallback }: BuiltinParameter,
  value: HostValue,
): HostValue {
  if (isOfType(value, type) || (value === null && fallback === null)) return value;
  return reject(fn, `for parameter ${name}: got ${getTypeName(value)}, want ${type}`);
}

function isOfType(value: HostValue, type: BuiltinType): boolean {
  if (type === "any") return true;
  const actual = getTypeName(value);
  if (type === "number") return actual === "int" || actual === "float";
  return actual === type || (type === "float" && actual === "int");
}

/** The name of a value's type, as stubs write it. */
function getTypeName(value: HostValue): BuiltinType | "set" {
  if (value === null || value === undefined) return "None";
  if (typeof value === "string") return "str";
  if (typeof value === "boolean") return "bool";
  if (typeof value === "bigint") return "int";
  if (typeof value === "number") return Number.isInteger(value) ? "int" : "float";
  if (Array.isArray(value)) return "list";
  if (value instanceof Uint8Array) return "bytes";
  return value instanceof Set ? "set" : "dict";
}

function reject(fn: Pick<BuiltinFunction, "module" | "name">, message: string): never {
  throw new StarlarkError("execution_failed", `${qualifiedName(fn)}: ${message}`);
}
