export interface Notices {
  send(text: string): void;
  /** Passes every later notice to `listener`, after those that were given before any listener. */
  listen(listener: (text: string) => void): void;
}

/** The number of notices kept until there is a listener. */
const MAX_UNHEARD = 20;

/** Passes messages from clients to the log, which clients do not have access to. */
export function createNotices(): Notices {
  const unheard: string[] = [];
  let passOn = (text: string): void => {
    if (unheard.length < MAX_UNHEARD) unheard.push(text);
  };
  return {
    send: (text) => passOn(text),
    listen(listener) {
      passOn = listener;
      for (const text of unheard.splice(0)) listener(text);
    },
  };
}
