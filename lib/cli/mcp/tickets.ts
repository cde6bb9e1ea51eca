import type { Clock } from "../../sdk/platform";
import type { Preview } from "./perform-action";
import { Refusal } from "./refusal";

/** Time from a preview until its token expires. */
const TICKET_LIFETIME_MS = 60_000;
/** Maximum number of unused tokens. One more drops the oldest. */
const MAX_OPEN_TICKETS = 100;

/** A preview that waits for its confirmation. Its token is the key of the map that holds it. */
interface Ticket {
  action: string;
  /** Milliseconds since the Unix epoch. */
  expiresAt: number;
  /** Its summary is the text that the confirmation must repeat word for word. */
  preview: Preview;
}

export type Tickets = ReturnType<typeof createTickets>;

/**
 * Issues preview tokens. Each one confirms a single action, once, within a minute. A restart invalidates all of them.
 * @param createToken generates tokens that cannot be guessed
 */
export function createTickets(clock: Clock, createToken: () => string) {
  const openTickets = new Map<string, Ticket>();
  return {
    /** Returns a new token, and when it expires, ms since the Unix epoch. */
    issue(action: string, preview: Preview): { token: string; expiresAt: number } {
      const [oldest] = openTickets.keys();
      if (openTickets.size >= MAX_OPEN_TICKETS) openTickets.delete(oldest!);
      const token = createToken();
      const expiresAt = clock.now() + TICKET_LIFETIME_MS;
      openTickets.set(token, { action, expiresAt, preview });
      return { token, expiresAt };
    },
    /**
     * Consumes a token, even if it has expired or the summary is wrong. A token of a different action stays valid: the
     * model named the wrong tool, and the token still confirms nothing but its own preview.
     * @throws {Refusal} unless the token matches this action and summary
     */
    take(action: string, summary: string, token: string): Preview {
      const ticket = openTickets.get(token);
      if (!ticket) throw new Refusal("This token is unknown, or was used before. Ask for a new preview.");
      if (ticket.action !== action)
        throw new Refusal(`This token is from preview_${ticket.action}. Pass it to ${ticket.action}.`);
      openTickets.delete(token);
      if (clock.now() >= ticket.expiresAt)
        throw new Refusal("This token is older than a minute. Ask for a new preview.");
      if (ticket.preview.shownFigures.summary !== summary)
        throw new Refusal(
          "This summary is not what the preview showed, and its token is now used up. Ask for a new preview.",
        );
      return ticket.preview;
    },
  };
}
