import { useEffect, useState } from "preact/hooks";

/** How long buttons are inert after what they decide about appears, changes or comes into view again, in milliseconds. */
const inertMs = 500;

/**
 * Whether the buttons of a card may decide. They may not for 500 ms after the card appears or changes, and while the page
 * is hidden or its window has no focus: a click that was meant for something else must not decide.
 *
 * @param key Identifies what is displayed.
 */
export function useArmed(key: string | undefined): boolean {
  const [armed, setArmed] = useState<string>();
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const rearm = (): void => {
      clearTimeout(timer);
      setArmed(undefined);
      if (key === undefined || document.visibilityState !== "visible" || !document.hasFocus())
        return;
      timer = setTimeout(() => setArmed(key), inertMs);
    };
    rearm();
    document.addEventListener("visibilitychange", rearm);
    addEventListener("focus", rearm);
    addEventListener("blur", rearm);
    return () => {
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", rearm);
      removeEventListener("focus", rearm);
      removeEventListener("blur", rearm);
    };
  }, [key]);
  return key !== undefined && armed === key;
}
