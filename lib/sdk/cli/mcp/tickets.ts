import type { Clock } from "../../world";
import { Refusal } from "./refusal";

/** Time from a preview until its token expires. */
const TICKET_MS = 60_000;
/** Maximum number of unused tokens; the oldest is dropped first. */
const MAX_OPEN = 100;

interface Ticket<T> {
  action: string;
  summary: string;
  expiresAt: number;
  value: T;
}

/** Preview tokens. Each one confirms a single action, once, within a minute. A restart invalidates all of them. */
export interface Tickets<T> {
  /** Issues a token. @param summary the text that the confirmation must repeat word for word */
  issue(action: string, summary: string, value: T): { token: string; expiresAt: number };
  /**
   * Consumes a token, even if its age or the summary is wrong. A token of a different action stays valid: the model
   * named the wrong tool, and no tool can use it for anything but its own preview.
   * @throws {Refusal} unless the token matches this action and summary
   */
  take(action: string, summary: string, token: string): T;
}

/** Creates an empty set of tokens. @param newToken generates tokens that cannot be guessed */
export function createTickets<T>(clock: Clock, newToken: () => string): Tickets<T> {
  const open = new Map<string, Ticket<T>>();
  return {
    issue(action, summary, value) {
      const [oldest] = open.keys();
      if (open.size >= MAX_OPEN) open.delete(oldest!);
      const token = newToken();
      const expiresAt = clock.now() + TICKET_MS;
      open.set(token, { action, summary, expiresAt, value });
      return { token, expiresAt };
    },
    take(action, summary, token) {
      const ticket = open.get(token);
      if (!ticket) throw new Refusal("This token is unknown, or was used before. Ask for a new preview.");
      if (ticket.action !== action)
        throw new Refusal(`This token is from preview_${ticket.action}. Pass it to ${ticket.action}.`);
      open.delete(token);
      if (clock.now() >= ticket.expiresAt)
        throw new Refusal("This token is older than a minute. Ask for a new preview.");
      if (ticket.summary !== summary) {
        throw new Refusal(
          "This summary is not what the preview showed, and its token is now used up. Ask for a new preview.",
        );
      }
      return ticket.value;
    },
  };
}
