import type { ComponentProps } from "preact";
import { navigate } from "./location.ts";

/** A link to another screen: without a request, unless the person opens it elsewhere. */
export function Link({ href, onClick, ...rest }: ComponentProps<"a"> & { href: string }) {
  return (
    <a
      {...rest}
      href={href}
      onClick={(event) => {
        onClick?.(event);
        const isModified = event.ctrlKey || event.metaKey || event.shiftKey || event.altKey;
        if (event.defaultPrevented || isModified || event.button !== 0) return;
        event.preventDefault();
        navigate(href);
      }}
    />
  );
}
