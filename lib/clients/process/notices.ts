export type Notices = ReturnType<typeof createNotices>;

/** The number of notices kept until there is a listener. */
const MAX_EARLY_NOTICES = 20;

/** Creates the channel for messages from clients to the log, to which clients have no access. */
export function createNotices() {
  const earlyNotices: string[] = [];
  let passOn = (text: string): void => {
    if (earlyNotices.length < MAX_EARLY_NOTICES) earlyNotices.push(text);
  };
  return {
    send: (text: string): void => passOn(text),
    /** Passes the kept notices to `listener`, and every later one. */
    listen(listener: (text: string) => void): void {
      passOn = listener;
      for (const text of earlyNotices.splice(0)) listener(text);
    },
  };
}
