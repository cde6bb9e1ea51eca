import type { Clock } from "../../world";
import { Refusal } from "./refusal";

/** From a preview to its confirmation. */
const TICKET_MS = 60_000;
/** Of previews that nobody confirms, so many are kept. */
const KEPT = 100;

interface Ticket<T> {
  action: string;
  summary: string;
  expiresAt: number;
  value: T;
}

/** Tokens of previews: each confirms one action, once, within a minute. They live in memory: a restart forgets them all. */
export interface Tickets<T> {
  /** @param summary what is to be confirmed, word for word */
  issue(action: string, summary: string, value: T): { token: string; expiresAt: number };
  /** Uses a token up, for whatever it is shown. @throws {Refusal} unless it is good for exactly this */
  take(action: string, summary: string, token: string): T;
}

/** @param newToken must be impossible to guess */
export function createTickets<T>(clock: Clock, newToken: () => string): Tickets<T> {
  const open = new Map<string, Ticket<T>>();
  return {
    issue(action, summary, value) {
      const [oldest] = open.keys();
      if (open.size >= KEPT) open.delete(oldest!);
      const token = newToken();
      const expiresAt = clock.now() + TICKET_MS;
      open.set(token, { action, summary, expiresAt, value });
      return { token, expiresAt };
    },
    take(action, summary, token) {
      const ticket = open.get(token);
      open.delete(token);
      if (!ticket) throw new Refusal("This token is unknown, or was used before. Ask for a new preview.");
      if (ticket.action !== action) {
        throw new Refusal(`This token is of preview_${ticket.action}, and is used up now. Ask for a new preview.`);
      }
      if (clock.now() >= ticket.expiresAt)
        throw new Refusal("This token is older than a minute. Ask for a new preview.");
      if (ticket.summary !== summary) {
        throw new Refusal("This is not what the preview showed, so its token is used up. Ask for a new preview.");
      }
      return ticket.value;
    },
  };
}
