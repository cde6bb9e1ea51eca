import fc from "fast-check";
import { expect, test } from "vitest";
import { createDeadlines } from "../../../../lib/clients/quota/deadlines";
import { manualClock } from "../../../support/fakes/manual-clock";

/** When work is done, and its deadline, ms. */
const Work = fc.record({ doneMs: fc.nat(20), endsMs: fc.nat(20) });

test("settles each piece of work once, with its own result or a timeout, in any order", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(Work, { minLength: 1, maxLength: 12 }), async (all) => {
      const clock = manualClock();
      const within = createDeadlines(clock);
      const start = clock.now();
      const closed = all.map(() => 0);
      const results = all.map(({ doneMs, endsMs }, i) => {
        // Deadlines are checked every 100 ms.
        const work = clock.sleep(doneMs * 100 + 50).then(() => i);
        const owner = { close: () => void closed[i]!++ };
        return within(work, start + endsMs * 100, owner).catch(({ code }) => code);
      });
      for (let ms = 0; ms <= 2_200; ms += 50) await clock.advance(50);
      const expected = all.map(({ doneMs, endsMs }, i) => (Math.max(1, endsMs) <= doneMs ? "upstream_timeout" : i));
      expect(await Promise.all(results)).toEqual(expected);
      expect(closed).toEqual(all.map(() => 1));
    }),
    { numRuns: 50 },
  );
});
