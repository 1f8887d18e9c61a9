import { check, type Check } from "../context/check.ts";
import { described, checkEach } from "../reading/check-each.ts";
import { annotationFault } from "../reading/annotation-fault.ts";
import { isObject } from "../schema/subschemas.ts";
import { fieldChecks } from "./field-checks.ts";
import { textChecks } from "./text-checks.ts";

/** What a spec is, apart from its schemas. */
export const specChecks: readonly Check[] = [
  check("TW-SPEC-001", async (context) => {
    const { tools } = await context.subject();
    return checkEach(tools, "Read every field of each spec", ({ unreadable }) =>
      unreadable === undefined
        ? undefined
        : { wrong: `throws when its ${unreadable.field} is read`, seen: unreadable.error },
    );
  }),

  check("TW-SPEC-002", async (context) => {
    const { tools } = await context.subject();
    return checkEach(tools, "Looked for what JSON cannot hold in each spec", ({ defect }) =>
      defect === undefined
        ? undefined
        : { wrong: `is not plain JSON data at spec${defect.path}`, seen: defect.what },
    );
  }),

  check("TW-SPEC-003", async (context) => {
    const { tools } = await context.subject();
    return checkEach(described(tools), "Read each description", ({ spec: { description } }) =>
      typeof description === "string" && description.trim() !== ""
        ? undefined
        : { wrong: "has no description", seen: description },
    );
  }),

  check("TW-SPEC-008", async (context) => {
    const { tools } = await context.subject();
    return checkEach(described(tools), "Read each tool's annotations", ({ spec }) =>
      isObject(spec.annotations)
        ? annotationFault(spec.annotations)
        : {
            wrong: "has no annotations object: give {} when there is nothing to say",
            seen: spec.annotations,
          },
    );
  }),

  check("TW-SPEC-009", async (context) => {
    const { tools } = await context.subject();
    return checkEach(described(tools), "Read each schema twice", ({ tool: { spec } }) =>
      spec.inputSchema === spec.inputSchema && spec.outputSchema === spec.outputSchema
        ? undefined
        : { wrong: "makes its schema anew each time it is read", seen: "two objects" },
    );
  }),

  ...fieldChecks,
  ...textChecks,
];
