import { Ajv2020 } from "ajv/dist/2020.js";
import type { Contender, Numbers } from "../contender.ts";
import { add, byName, jsonSchema } from "../tools.ts";

export const floor: Contender = {
  name: "floor",
  package: "ajv",
  schema: "JSON Schema",
  validates: true,
  does: "Map lookup, compiled Ajv validator, the async function; nothing else",
  prepare: async () => {
    const ajv = new Ajv2020();
    const getTool = byName(() => ({ validate: ajv.compile<Numbers>(jsonSchema), run: add }));
    return {
      takes: "object",
      call: async (name, args) => {
        const tool = getTool(name);
        if (!tool.validate(args)) throw new Error("invalid");
        return tool.run(args);
      },
      readSum: (sum) => sum,
    };
  },
};
