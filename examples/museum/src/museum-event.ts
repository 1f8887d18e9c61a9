/** The kind of an event. */
export const eventKinds = ["exhibition", "tour", "talk", "workshop", "concert"] as const;

/** The kind of an event. */
export type EventKind = (typeof eventKinds)[number];

/** A planned event. Dates are `YYYY-MM-DD`. */
export interface NewEvent {
  readonly title: string;
  readonly kind: EventKind;
  readonly startsOn: string;
  /** The last day; the first day for an event of one day. */
  readonly endsOn: string;
  readonly room: string;
  /** Tickets in all. */
  readonly capacity: number;
  /** The price of one ticket in euro cents. */
  readonly priceCents: number;
  readonly tags: readonly string[];
}

/** An event of the museum. */
export interface MuseumEvent extends NewEvent {
  readonly id: number;
}

/** The programme of a new museum; the ids follow the order, from 1. */
export const seedEvents: readonly NewEvent[] = [
  {
    title: "Maps of the Silk Road",
    kind: "exhibition",
    startsOn: "2027-02-10",
    endsOn: "2027-05-30",
    room: "Gallery 2",
    capacity: 400,
    priceCents: 1200,
    tags: ["maps", "history"],
  },
  {
    title: "Lanterns After Dark",
    kind: "tour",
    startsOn: "2027-03-20",
    endsOn: "2027-03-20",
    room: "Main Entrance",
    capacity: 25,
    priceCents: 1800,
    tags: ["evening", "family"],
  },
  {
    title: "How Amber Forms",
    kind: "talk",
    startsOn: "2027-03-12",
    endsOn: "2027-03-12",
    room: "Lecture Theatre",
    capacity: 120,
    priceCents: 0,
    tags: ["geology", "free"],
  },
  {
    title: "Printing with Woodblocks",
    kind: "workshop",
    startsOn: "2027-03-14",
    endsOn: "2027-03-15",
    room: "Studio",
    capacity: 12,
    priceCents: 3500,
    tags: ["hands-on", "family"],
  },
  {
    title: "Baroque in the Great Hall",
    kind: "concert",
    startsOn: "2027-04-02",
    endsOn: "2027-04-02",
    room: "Great Hall",
    capacity: 180,
    priceCents: 2400,
    tags: ["music", "evening"],
  },
  {
    title: "Dinosaurs of the Alps",
    kind: "exhibition",
    startsOn: "2027-03-01",
    endsOn: "2027-08-29",
    room: "Gallery 1",
    capacity: 600,
    priceCents: 1500,
    tags: ["geology", "family"],
  },
  {
    title: "The Conservator's Eye",
    kind: "tour",
    startsOn: "2027-04-17",
    endsOn: "2027-04-17",
    room: "Restoration Workshop",
    capacity: 15,
    priceCents: 2000,
    tags: ["behind-the-scenes"],
  },
];
