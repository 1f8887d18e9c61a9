/** How much of an input schema is shown in one try. */
export interface Extent {
  /** Objects and lists within each other. */
  readonly levels: number;
  /** Of the characters that an argument's description may have. */
  readonly argument: number;
  /** Of the characters that a description further inside may have. */
  readonly nested: number;
  /** How many names of an object stand in place of what is in it. */
  readonly names: number;
}

/** What of a schema is tried, until it fits. */
export const extents: readonly Extent[] = [
  { levels: 6, argument: 1, nested: 1, names: 12 },
  { levels: 5, argument: 1, nested: 0.5, names: 12 },
  { levels: 4, argument: 0.75, nested: 0.5, names: 12 },
  { levels: 4, argument: 0.75, nested: 0, names: 6 },
  { levels: 3, argument: 0.75, nested: 0, names: 6 },
  { levels: 3, argument: 0.75, nested: 0, names: 0 },
  { levels: 2, argument: 0.5, nested: 0, names: 12 },
  { levels: 1, argument: 0.25, nested: 0, names: 6 },
];
