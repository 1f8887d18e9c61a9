import type { PolicyEffect } from "@toolweave/core";
import type { ComponentChildren } from "preact";
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

const effects: Readonly<Record<PolicyEffect, readonly [string, Tone]>> = {
  allow: ["allowed", "good"],
  ask: ["asks", "warning"],
  deny: ["denied", "bad"],
};

/** The decision of the policy. */
export function EffectBadge({ effect }: { effect: PolicyEffect }) {
  const [text, tone] = effects[effect];
  return (
    <Badge tone={tone} icon={effect}>
      {text}
    </Badge>
  );
}
