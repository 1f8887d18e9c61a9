import { useEffect, useRef, useState } from "preact/hooks";
import { queryValue, setQuery } from "./location.ts";

/**
 * A text field whose content is a member of the query. The address follows a moment later: browsers limit how often it
 * may change. A change that is due when the person leaves the screen is omitted.
 */
export function useQueryText(name: string, delayMs: number): [string, (text: string) => void] {
  const value = queryValue(name);
  const [text, setText] = useState(value);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  // The address may change by a link or the history.
  useEffect(() => {
    if (timer.current === undefined) setText(value);
  }, [value]);
  const change = (next: string): void => {
    setText(next);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      timer.current = undefined;
      setQuery({ [name]: next });
    }, delayMs);
  };
  return [text, change];
}
