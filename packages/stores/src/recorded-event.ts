import type { ToolEvent } from "@toolweave/core";

/** Where in a recording an event is. */
export interface RecordingPosition {
  /** The stream of its recorder: numbers of events begin anew with each executor. */
  readonly stream: string;
  readonly seq: number;
}

/** An event as it was recorded. */
export type RecordedEvent = ToolEvent & RecordingPosition;

/** A recorder's line about itself. */
export interface RecordingNotice {
  /**
   * `recording.dropped`: events are missing before this line. `recording.full`: the file has reached
   * its limit, and nothing follows in it.
   */
  readonly type: "recording.dropped" | "recording.full";
  readonly stream: string;
  /** Milliseconds since the epoch. */
  readonly time: number;
  /** How many events are missing, with `recording.dropped`. */
  readonly dropped?: number;
}
