import type { Capability } from "./builtin.ts";
import { builtins } from "./table.ts";

/** The modules with an effect, with the capabilities of their members. */
const modules = new Map<string, Map<string, Capability>>();
for (const { module, name, capability } of builtins) {
  if (capability === undefined) continue;
  const key = module ?? name;
  const members = modules.get(key) ?? new Map<string, Capability>();
  modules.set(key, members.set(name, capability));
}

/** Members of modules with an effect that have none themselves. */
const harmless = new Set(
  builtins.flatMap(({ module, name, capability }) =>
    module !== undefined && modules.has(module) && capability === undefined
      ? [`${module}.${name}`]
      : [],
  ),
);

/**
 * The capabilities that a script may use, by its text alone: nothing is compiled. Predeclared names cannot be bound again, so that a
 * script which does not contain the name of a module cannot use it. A module that is used otherwise than by `module.member`
 * counts as a whole, and so does everything if the script loads another file.
 */
export function scanCapabilities(text: string): ReadonlySet<Capability> {
  const found = new Set<Capability>();
  // What a loaded file uses is not known here.
  if (/\bload\s*\(/.test(text))
    return new Set([...modules.values()].flatMap((each) => [...each.values()]));
  for (const [module, members] of modules) {
    const uses = text.matchAll(new RegExp(`(?<![\\w.])${module}\\b(?:\\s*\\.\\s*(\\w+))?`, "g"));
    for (const [, member] of uses) {
      const capability = member === undefined ? undefined : members.get(member);
      if (capability !== undefined) found.add(capability);
      else if (member === undefined || !harmless.has(`${module}.${member}`))
        for (const each of members.values()) found.add(each);
    }
  }
  return found;
}
