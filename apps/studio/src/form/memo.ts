import { Component, h, type ComponentChildren, type FunctionComponent } from "preact";

/** A component that is rendered again only if one of its properties is another value, or a signal that it reads. */
export function memo<P extends object>(
  render: (props: P) => ComponentChildren,
): FunctionComponent<P> {
  const Inner = render as FunctionComponent<P>;
  class Memo extends Component<P> {
    override shouldComponentUpdate(next: Readonly<P>): boolean {
      return differs(this.props, next) || differs(next, this.props);
    }
    override render(): ComponentChildren {
      return h(Inner, this.props as P);
    }
  }
  return Memo as unknown as FunctionComponent<P>;
}

function differs(a: object, b: object): boolean {
  return Object.entries(a).some(([name, value]) => value !== (b as Record<string, unknown>)[name]);
}
