import type { Session } from "../state/session";
import type { WatchMemory } from "./memory";
import type { WatchSettings } from "./settings";

/** A log event: a name for programs, and a text for the user. */
export interface WatchEvent {
  event: "started" | "saved" | "topped_up" | "invested" | "would" | "waits" | "trouble" | "ended";
  text: string;
  txSignatures?: string[];
  /** US dollars saved, topped up or invested. */
  amountUsd?: number;
  /** The number of payments whose change is saved. */
  payments?: number;
}

/** Everything that a watch needs. */
export interface WatchWorld extends Session {
  settings: WatchSettings;
  memory: WatchMemory;
  /** Returns a number from 0 up to, but not including, 1. */
  random(): number;
  log(event: WatchEvent): void;
  /** Waits. It returns early when the watch must stop. */
  pause(ms: number): Promise<void>;
  isEnding(): boolean;
  /** Resolves at the wallet's next change; null without an active subscription. */
  waitForChange(): Promise<void> | null;
}
