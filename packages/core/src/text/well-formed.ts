interface Unicode {
  isWellFormed(): boolean;
  toWellFormed(): string;
}

/** True for valid Unicode: no surrogate without its other half. */
export function isWellFormed(text: string): boolean {
  return (text as string & Unicode).isWellFormed();
}

/** Valid Unicode: a surrogate without its other half becomes U+FFFD. */
export function wellFormed(text: string): string {
  return (text as string & Unicode).toWellFormed();
}
