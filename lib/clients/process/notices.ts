export interface Notices {
  give(text: string): void;
  /** Gets every notice from now on, and first those that nobody has heard. */
  listen(listener: (text: string) => void): void;
}

/** Kept while nobody listens. */
const MAX_UNHEARD = 20;

/** What clients have to say to the log, which is not theirs. */
export function createNotices(): Notices {
  const unheard: string[] = [];
  let tell = (text: string): void => {
    if (unheard.length < MAX_UNHEARD) unheard.push(text);
  };
  return {
    give: (text) => tell(text),
    listen(listener) {
      tell = listener;
      for (const text of unheard.splice(0)) listener(text);
    },
  };
}
