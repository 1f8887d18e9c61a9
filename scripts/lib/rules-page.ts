/** What the page says of a rule. */
export interface RuleFacts {
  readonly id: string;
  readonly level: string;
  readonly text: string;
  readonly section: string;
  readonly needs: readonly string[];
  readonly presupposes: readonly string[];
}

/** Rules about the same thing. */
export interface RuleArea {
  /** `SPEC` in `TW-SPEC-001`. */
  readonly area: string;
  readonly title: string;
}

/** The page that lists every rule of the conformance kit, by area. */
export function rulesPage(rules: readonly RuleFacts[], areas: readonly RuleArea[]): string {
  const musts = rules.filter(({ level }) => level === "must").length;
  const sections = areas
    .map(({ area, title }) => ({
      area,
      title,
      rules: rules.filter(({ id }) => id.startsWith(`TW-${area}-`)),
    }))
    .filter(({ rules }) => rules.length > 0);
  const listed = sections.reduce((sum, { rules }) => sum + rules.length, 0);
  if (listed !== rules.length) throw new Error("There are rules of no area: see areas.ts.");
  return `# Conformance rules

${rules.length} rules: ${musts} must be kept, ${rules.length - musts} should be. \`node scripts/rules-page.ts\` writes this page from the \`requirements\` of the kit. [Write an adapter](../guides/write-an-adapter.md) shows how to use the kit.

- **needs**: entries that the manifest declares or declines in \`without\`; \`source\` means a \`ToolSource\` instead of a list of tools.
- **after**: rules that this rule depends on. If one of them fails, this rule is not checked.
- **section**: the section of the design.

| area | what its rules are about | must | should |
| ---- | ------------------------ | ---- | ------ |
${sections.map(({ area, title, rules }) => `| [${area}](#${toAnchor(area, title)}) | ${title} | ${rules.filter(({ level }) => level === "must").length} | ${rules.filter(({ level }) => level === "should").length} |`).join("\n")}

${sections.map(sectionText).join("\n\n")}
`;
}

function sectionText(section: RuleArea & { readonly rules: readonly RuleFacts[] }): string {
  const { area, title, rules } = section;
  return `## ${area}: ${title}

| id | level | rule | needs | after | section |
| -- | ----- | ---- | ----- | ----- | ------- |
${rules.map(({ id, level, text, needs, presupposes, section }) => `| ${id} | ${level} | ${cell(text)} | ${needs.join(", ")} | ${presupposes.join(", ")} | ${section} |`).join("\n")}`;
}

/** What a bar or a bracket would break. */
function cell(text: string): string {
  return text.replace(/[|<]/g, "\\$&");
}

function toAnchor(area: string, title: string): string {
  const heading = `${area}: ${title}`.toLowerCase();
  return heading.replace(/[^\w -]/g, "").replaceAll(" ", "-");
}
