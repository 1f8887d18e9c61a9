import type { PolicyView } from "@toolweave/console";
import { useResource } from "../api/resource.ts";
import { queryValue, setQuery } from "../navigation/location.ts";
import { safeLine, safeProse } from "../text/safe-text.ts";
import { Badge, type Tone } from "../ui/badge.tsx";
import { ScreenHeader } from "../ui/screen-header.tsx";
import { EmptyState, Loaded } from "../ui/states.tsx";
import { Tabs } from "../ui/tabs.tsx";
import { ExplainTab } from "./explain-tab.tsx";
import { TryTab } from "./try-tab.tsx";

const tabs = [
  { id: "rules", title: "Rules" },
  { id: "explain", title: "Explain a call" },
  { id: "try", title: "Try a rule" },
];

/** The policy in force, the reasons of a decision, and what another rule would change. */
export function PolicyScreen() {
  const chosen = queryValue("tab");
  const current = tabs.some(({ id }) => id === chosen) ? chosen : "rules";
  return (
    <>
      <ScreenHeader title="Policy" detail="What runs, what asks, and what is refused" />
      <Tabs
        label="Views of the policy"
        tabs={tabs}
        current={current}
        onChange={(id) => setQuery({ tab: id === "rules" ? "" : id })}
      >
        {current === "rules" && <Rules />}
        {current === "explain" && <ExplainTab />}
        {current === "try" && <TryTab />}
      </Tabs>
    </>
  );
}

const tones: Readonly<Record<string, Tone>> = { allow: "good", ask: "warning", deny: "bad" };

/** The tone of `allow`, `ask`, `ask always` or `deny`. */
function toTone(effect: string): Tone {
  return tones[effect.split(" ", 1)[0] ?? ""] ?? "neutral";
}

function Rules() {
  const resource = useResource<PolicyView>("/api/policy");
  return (
    <Loaded resource={resource}>
      {({ layers, warnings }) => (
        <>
          {warnings.map((warning) => (
            <p key={warning} class="notice warning">
              {safeProse(warning)}
            </p>
          ))}
          {layers.length === 0 && (
            <EmptyState title="There is no policy">
              <p>
                Set <code class="code">policy</code> in the configuration, such as a preset.
              </p>
            </EmptyState>
          )}
          {layers.map((layer) => (
            <section key={layer.name} class="card">
              <h2>
                {safeLine(layer.name)}{" "}
                {layer.preset !== undefined && (
                  <Badge tone="accent">{safeLine(layer.preset)}</Badge>
                )}
              </h2>
              {layer.isFunction === true && (
                <p class="muted">
                  A function of the host decides
                  {layer.sources !== undefined &&
                    ` about tools of the sources ${safeLine(layer.sources.join(", "))}`}
                  : it has no rules to list.
                </p>
              )}
              {layer.rules.length === 0 && layer.preset !== undefined && (
                <p class="muted">The preset decides about every call.</p>
              )}
              {layer.default !== undefined && (
                <p class="muted">
                  Calls that no rule matches:{" "}
                  <Badge tone={tones[layer.default] ?? "neutral"}>{safeLine(layer.default)}</Badge>
                </p>
              )}
              {layer.rules.length > 0 && layer.preset !== undefined && (
                <p class="muted">The preset decides about calls that no rule matches.</p>
              )}
              <ol class="rules">
                {layer.rules.map((rule) => (
                  <li key={rule.id}>
                    <Badge tone={toTone(rule.effect)}>{safeLine(rule.effect)}</Badge>
                    <span class="rule-text">
                      {safeProse(rule.text)}
                      {rule.remark !== undefined && (
                        <span class="muted">{safeProse(rule.remark)}</span>
                      )}
                    </span>
                    <code class="code">{safeLine(rule.id)}</code>
                  </li>
                ))}
              </ol>
            </section>
          ))}
        </>
      )}
    </Loaded>
  );
}
