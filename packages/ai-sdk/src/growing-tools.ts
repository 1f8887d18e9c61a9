import type { ToolRun, ToolSpec, Toolset } from "@toolweave/core";
import { perObject } from "@toolweave/core/integration";

/**
 * The tools of a run that searches, as one object that grows. The SDK reads it anew before every step and gives a model
 * its enumerable members: the tools that the run lists then. Every other tool that may be called can be read by its
 * name: for a model that knows it, and for an approval that is answered in a later request. Tools are made when they
 * are needed, and new ones come last.
 */
export function growingTools<AiTool extends object>(
  run: ToolRun,
  make: (spec: ToolSpec) => AiTool,
): Record<string, AiTool> {
  const listed = new Map<string, AiTool>();
  let lastToolset: Toolset | undefined;
  const toolFor = perObject(make);
  const follow = (target: Record<string, AiTool>): void => {
    const { toolset } = run;
    if (toolset === lastToolset) return;
    lastToolset = toolset;
    for (const [name, tool] of listed) {
      const spec = toolset.get(name)?.spec;
      if (spec !== undefined && toolFor(spec) === tool) continue;
      listed.delete(name);
      // The host may have put one of its own in its place.
      if (target[name] === tool) delete target[name];
    }
    for (const spec of toolset.specs()) {
      if (listed.has(spec.name) || Object.hasOwn(target, spec.name)) continue;
      const value = toolFor(spec);
      listed.set(spec.name, value);
      const visible = { enumerable: true, configurable: true, writable: true };
      Object.defineProperty(target, spec.name, { value, ...visible });
    }
  };
  const hidden = (target: Record<string, AiTool>, name: string | symbol): AiTool | undefined => {
    if (typeof name !== "string" || Object.hasOwn(target, name)) return undefined;
    const spec = run.toolset.callable(name)?.tool.spec;
    return spec === undefined ? undefined : toolFor(spec);
  };
  return new Proxy<Record<string, AiTool>>(
    {},
    {
      ownKeys(target) {
        follow(target);
        return Reflect.ownKeys(target);
      },
      getOwnPropertyDescriptor(target, name) {
        follow(target);
        const value = hidden(target, name);
        return value === undefined
          ? Reflect.getOwnPropertyDescriptor(target, name)
          : { value, enumerable: false, configurable: true, writable: true };
      },
      has(target, name) {
        follow(target);
        return hidden(target, name) !== undefined || Reflect.has(target, name);
      },
      get(target, name, receiver) {
        follow(target);
        return hidden(target, name) ?? Reflect.get(target, name, receiver);
      },
    },
  );
}
