import { defineCheck, type Check } from "../../context/check.ts";
import { withReadableSpec, checkEach } from "../../faults/check-each.ts";
import { findAnnotationFault } from "../../faults/annotation-fault.ts";
import { isObject } from "../../schema/subschemas.ts";
import { fieldChecks } from "./field-checks.ts";
import { textChecks } from "./text-checks.ts";

/** Checks of specs, except their schemas. */
export const specChecks: readonly Check[] = [
  defineCheck("TW-SPEC-001", async (context) => {
    const { tools } = await context.subject();
    return checkEach(tools, "Read every field of each spec", ({ unreadable }) =>
      unreadable === undefined
        ? undefined
        : { wrong: `throws when its ${unreadable.field} is read`, seen: unreadable.error },
    );
  }),

  defineCheck("TW-SPEC-002", async (context) => {
    const { tools } = await context.subject();
    return checkEach(tools, "Looked for values that are not JSON in each spec", ({ defect }) =>
      defect === undefined
        ? undefined
        : { wrong: `is not plain JSON data at spec${defect.path}`, seen: defect.what },
    );
  }),

  defineCheck("TW-SPEC-003", async (context) => {
    const { tools } = await context.subject();
    return checkEach(
      withReadableSpec(tools),
      "Read each description",
      ({ spec: { description } }) =>
        typeof description === "string" && description.trim() !== ""
          ? undefined
          : { wrong: "has no description", seen: description },
    );
  }),

  defineCheck("TW-SPEC-008", async (context) => {
    const { tools } = await context.subject();
    return checkEach(withReadableSpec(tools), "Read each tool's annotations", ({ spec }) =>
      isObject(spec.annotations)
        ? findAnnotationFault(spec.annotations)
        : {
            wrong: "has no annotations object: use {} if there are none",
            seen: spec.annotations,
          },
    );
  }),

  defineCheck("TW-SPEC-009", async (context) => {
    const { tools } = await context.subject();
    return checkEach(withReadableSpec(tools), "Read each schema twice", ({ tool: { spec } }) =>
      spec.inputSchema === spec.inputSchema && spec.outputSchema === spec.outputSchema
        ? undefined
        : { wrong: "creates a new schema each time it is read", seen: "two objects" },
    );
  }),

  ...fieldChecks,
  ...textChecks,
];
