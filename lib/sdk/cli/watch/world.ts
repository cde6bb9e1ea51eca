import type { Session } from "../state/session";
import type { WatchMemory } from "./memory";
import type { WatchSettings } from "./settings";

/** A line of the log: what happened, for a program, and in words. */
export interface WatchEvent {
  event: "started" | "saved" | "topped_up" | "invested" | "would" | "waits" | "trouble" | "ended";
  text: string;
  txSignatures?: string[];
}

/** What a watch runs in. */
export interface WatchWorld extends Session {
  settings: WatchSettings;
  memory: WatchMemory;
  /** From 0 to below 1. */
  random(): number;
  log(event: WatchEvent): void;
  /** Ends early when the watch is to end. */
  pause(ms: number): Promise<void>;
  isEnding(): boolean;
  /** The wallet's next change; null while nobody would tell. */
  changed(): Promise<void> | null;
}
