// The state of something as a word with a colour.
import type { JobState } from "../api/types";

export const STATES: readonly JobState[] = [
  "held",
  "waiting",
  "queued",
  "planning",
  "planned",
  "reserving",
  "reserved",
  "running",
  "done",
  "failed",
  "cancelled",
  "given-up",
];

export const isOver = (state: JobState): boolean => STATES.indexOf(state) >= STATES.indexOf("done");

export const stateText = (state: string): string => state.replaceAll("-", " ");

export const Badge = ({ state }: { state: string }) => <span class={`badge is-${state}`}>{stateText(state)}</span>;
