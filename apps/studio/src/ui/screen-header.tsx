import type { ComponentChildren } from "preact";

/** The heading of a screen with its actions. */
export function ScreenHeader(props: {
  title: ComponentChildren;
  /** A line below the heading. */
  detail?: ComponentChildren;
  /** Buttons on the right. */
  actions?: ComponentChildren;
}) {
  return (
    <div class="screen-header">
      <div class="screen-heading">
        <h1>{props.title}</h1>
        {props.detail !== undefined && <p class="screen-detail">{props.detail}</p>}
      </div>
      {props.actions !== undefined && <div class="actions">{props.actions}</div>}
    </div>
  );
}
