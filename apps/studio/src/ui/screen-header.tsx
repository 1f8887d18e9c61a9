import type { ComponentChildren } from "preact";

/** The heading of a screen with its actions. */
export function ScreenHeader(props: {
  title: ComponentChildren;
  /** A line below the heading. */
  detail?: ComponentChildren;
  /** Buttons on the right. */
  actions?: ComponentChildren;
  /** 2: beside the screen's own heading. Default: 1. */
  level?: 1 | 2;
}) {
  const Heading = `h${props.level ?? 1}` as const;
  return (
    <div class="screen-header">
      <div class="screen-heading">
        <Heading>{props.title}</Heading>
        {props.detail !== undefined && <p class="screen-detail">{props.detail}</p>}
      </div>
      {props.actions !== undefined && <div class="actions">{props.actions}</div>}
    </div>
  );
}
