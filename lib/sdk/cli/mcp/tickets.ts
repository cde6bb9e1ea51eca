import type { Clock } from "../../world";
import type { Preview } from "./perform";
import { Refusal } from "./refusal";

/** Time from a preview until its token expires. */
const TICKET_MS = 60_000;
/** Maximum number of unused tokens; the oldest is dropped first. */
const MAX_OPEN = 100;

/** A preview that waits for its confirmation. */
interface Ticket {
  action: string;
  /** The text that the confirmation must repeat word for word. */
  summary: string;
  /** Milliseconds since the Unix epoch. */
  expiresAt: number;
  preview: Preview;
}

export type Tickets = ReturnType<typeof createTickets>;

/**
 * Issues preview tokens. Each one confirms a single action, once, within a minute. A restart invalidates all of them.
 * @param createToken generates tokens that cannot be guessed
 */
export function createTickets(clock: Clock, createToken: () => string) {
  const open = new Map<string, Ticket>();
  return {
    issue(action: string, preview: Preview): { token: string; expiresAt: number } {
      const [oldest] = open.keys();
      if (open.size >= MAX_OPEN) open.delete(oldest!);
      const token = createToken();
      const expiresAt = clock.now() + TICKET_MS;
      open.set(token, { action, summary: preview.shown.summary, expiresAt, preview });
      return { token, expiresAt };
    },
    /**
     * Consumes a token, even if its age or the summary is wrong. A token of a different action stays valid: the model
     * named the wrong tool, and no tool can use it for anything but its own preview.
     * @throws {Refusal} unless the token matches this action and summary
     */
    take(action: string, summary: string, token: string): Preview {
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
      return ticket.preview;
    },
  };
}
