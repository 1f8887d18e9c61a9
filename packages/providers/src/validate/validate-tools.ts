import { checks } from "@toolweave/core/adapter";
import { providerRules } from "../rules/all-rules.ts";
import type { ProviderName, ProviderRules, RuleName } from "../rules/provider-rules.ts";
import { asFields, asItems } from "../conversion/provider-tools.ts";
import { schemaViolations } from "../schema/schema-violations.ts";

/** Where a list of tools breaks a provider's rule. */
export interface RuleViolation {
  /** The tool's name in the list; its index where it has none. Absent: the whole list. */
  readonly tool?: string | number;
  /** Where in the tool's schema: a JSON pointer. Absent: not in the schema. */
  readonly path?: string;
  readonly rule: RuleName;
  /** The problem. */
  readonly message: string;
  /** The page that documents the rule. */
  readonly source: string;
}

/** A tool of any provider's list, as far as it is read. */
interface ListedTool {
  readonly name: unknown;
  readonly description: unknown;
  readonly schema: unknown;
  readonly isStrict: boolean;
}

/**
 * Lists the reasons why a provider would reject a list of tools, by its documented rules: a list of `openAiChatTools`,
 * `anthropicTools` and so on, or one that was made elsewhere. OpenAI's functions with `strict: true` follow the rules
 * for that.
 *
 * @param tools what the provider's request has as `tools` (Bedrock: `toolConfig.tools`). Other entries than the host's
 * functions and custom tools are skipped.
 * @throws ToolError `invalid_configuration` for an unknown provider, or what is no list.
 * @returns an empty list if there are none.
 */
export function validateTools(
  provider: Exclude<ProviderName, "openai-strict">,
  tools: readonly unknown[],
): readonly RuleViolation[] {
  checks.oneOf(...Object.keys(providerRules)).check("validateTools: provider", provider);
  checks.list(checks.checkedElsewhere).check("validateTools: tools", tools);
  const rules = providerRules[provider];
  const listed = listedTools(provider, tools);
  const violations: RuleViolation[] = [];
  const { toolCount } = rules;
  if (toolCount !== undefined && listed.length > toolCount.most) {
    const message = `${listed.length} tools; at most ${toolCount.most} in one request`;
    violations.push({ rule: "toolCount", message, source: toolCount.source });
  }
  const names = new Set<unknown>();
  for (const [index, tool] of listed.entries()) {
    const applied = tool.isStrict ? providerRules["openai-strict"] : rules;
    const subject = typeof tool.name === "string" ? tool.name : index;
    for (const found of findViolations(tool, names, applied))
      violations.push({ tool: subject, ...found });
    names.add(tool.name);
  }
  return violations;
}

/** True when OpenAI's strict mode accepts the schema of a tool unchanged. */
export function isStrictSchema(schema: unknown): boolean {
  try {
    return schemaViolations(schema, providerRules["openai-strict"]).next().done === true;
  } catch {
    // A schema that nests deeper than the stack.
    return false;
  }
}

function* findViolations(
  { name, description, schema }: ListedTool,
  names: ReadonlySet<unknown>,
  rules: ProviderRules,
): Generator<Omit<RuleViolation, "tool">> {
  const { pattern, source } = rules.toolName;
  if (typeof name !== "string" || !pattern.test(name)) {
    yield { rule: "toolName", message: `the name does not match ${pattern.source}`, source };
  } else if (names.has(name)) {
    yield { rule: "toolName", message: "an earlier tool has this name", source };
  }
  if (rules.description !== undefined && description === "") {
    const message = "the description is empty";
    yield { rule: "description", message, source: rules.description.source };
  }
  // Gemini's functions without arguments have no schema.
  if (schema === undefined && rules.provider === "gemini") return;
  yield* schemaViolations(schema, rules);
}

function listedTools(provider: ProviderName, tools: readonly unknown[]): readonly ListedTool[] {
  return tools.flatMap((tool): ListedTool[] => {
    const fields = asFields(tool);
    const { name, description } = fields;
    switch (provider) {
      case "anthropic":
        return fields["type"] === undefined || fields["type"] === "custom"
          ? [{ name, description, schema: fields["input_schema"], isStrict: false }]
          : [];
      case "bedrock": {
        const { toolSpec } = fields;
        if (toolSpec === undefined) return [];
        const { inputSchema, ...spec } = asFields(toolSpec);
        return [{ ...described(spec), schema: asFields(inputSchema)["json"], isStrict: false }];
      }
      case "gemini":
        return asItems(fields["functionDeclarations"]).map((one) => ({
          ...described(one),
          schema: asFields(one)["parametersJsonSchema"],
          isStrict: false,
        }));
      default: {
        if (fields["type"] !== "function") return [];
        const called = asFields(fields["function"] ?? fields);
        // Without the field, the Responses API reads a function as strict.
        const isStrict =
          called["strict"] === true ||
          (fields["function"] === undefined && called["strict"] == null);
        return [{ ...described(called), schema: called["parameters"], isStrict }];
      }
    }
  });
}

function described(tool: unknown): Pick<ListedTool, "name" | "description"> {
  const { name, description } = asFields(tool);
  return { name, description };
}
