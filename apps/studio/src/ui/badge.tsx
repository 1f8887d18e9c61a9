import type { ComponentChildren } from "preact";
import type { Effect } from "../contract/contract.ts";
import { Icon, type IconName } from "./icon.tsx";

/** The colour of a badge; the text says the same. */
export type Tone = "neutral" | "good" | "warning" | "bad" | "accent";

/** A short state as icon and text. */
export function Badge(props: { tone?: Tone; icon?: IconName; children: ComponentChildren }) {
  const { tone = "neutral", icon, children } = props;
  return (
    <span class={`badge ${tone}`}>
      {icon !== undefined && <Icon name={icon} />}
      {children}
    </span>
  );
}

const effects: Readonly<Record<Effect, readonly [string, Tone]>> = {
  allow: ["allowed", "good"],
  ask: ["asks", "warning"],
  deny: ["denied", "bad"],
};

/** The decision of the policy. */
export function EffectBadge({ effect }: { effect: Effect }) {
  const [text, tone] = effects[effect];
  return (
    <Badge tone={tone} icon={effect}>
      {text}
    </Badge>
  );
}
