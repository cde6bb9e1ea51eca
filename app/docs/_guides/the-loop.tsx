import Link from "next/link";
import { Highlighted } from "@/app/docs/_components/highlighted";
import { C, Points, Section } from "@/app/docs/_components/prose";
import { workedFunction } from "@/app/docs/_content/samples";

const STEPS = [
  ["Sign in", "get-auth-message", "GET /api/auth", "Sign the text once; two headers do the rest."],
  [
    "Make the service wallet",
    "derive-wallet",
    "POST /api/wallet/derive",
    "Once. You derive its key; the service gets the public key and a proof.",
  ],
  ["Get play money", "airdrop", "POST /api/sandbox/airdrop", "In the sandbox only."],
  [
    "Preview",
    "calculate-round-up",
    "POST /api/roundup",
    "Optional. What the change, the fee and the investment would be.",
  ],
  [
    "Save",
    "build-wrap",
    "POST /api/wrap",
    "Two transfers: to your service wallet, and the fee. Sign with your wallet.",
  ],
  ["Send it", "execute-swap", "POST /api/swap/execute", "Takes signed bytes and follows them to their outcome."],
  [
    "Wait for the threshold",
    "get-accumulator",
    "GET /api/accumulator/{address}",
    "5 dollars unless you say otherwise.",
  ],
  [
    "Invest",
    "build-swap",
    "POST /api/swap/build",
    "One transaction for each asset. Sign with the service key, send each.",
  ],
  ["Look", "get-portfolio", "GET /api/portfolio/{address}", "Balances and values. Null means unknown, never 0."],
  [
    "Sell",
    "build-sale",
    "POST /api/swap/sell",
    "Back into SOL or USDC, in the service wallet. Sign with the service key, send.",
  ],
  [
    "Take it back",
    "build-withdraw",
    "POST /api/withdraw/build",
    "Everything or a part. Sign with the service key, send in order.",
  ],
] as const;

export function TheLoop() {
  return (
    <>
      <p>
        Every call builds something or looks something up. Nothing moves until you have signed it and sent it. The
        script behind <C>npm run tour</C> does all of this in one file, without an SDK;{" "}
        <a href="/SKILL.md" className="text-accent underline underline-offset-4">
          SKILL.md
        </a>{" "}
        has a shorter one.
      </p>
      <Section id="calls" title="The calls, in order">
        <ol className="space-y-3">
          {STEPS.map(([title, operation, call, text], i) => (
            <li key={operation} className="flex gap-4 rounded-xl border border-line bg-card p-4">
              <span
                aria-hidden="true"
                className="grid size-8 shrink-0 place-items-center rounded-full bg-accent-wash font-semibold text-accent"
              >
                {i + 1}
              </span>
              <div className="min-w-0">
                <h3 className="font-semibold">{title}</h3>
                <p className="text-soft">{text}</p>
                <Link
                  href={`/docs#${operation}`}
                  className="font-mono text-sm break-words text-accent underline underline-offset-4"
                >
                  {call}
                </Link>
              </div>
            </li>
          ))}
        </ol>
      </Section>
      <Section id="signing" title="Signing without an SDK">
        <p>
          Built transactions arrive as base64 with empty places for the signatures. Yours goes to the place of your key;
          the places of others stay as they are.
        </p>
        <Highlighted label="JavaScript, from SKILL.md">{workedFunction("signTransaction")}</Highlighted>
      </Section>
      <Section id="outcome" title="Following the outcome">
        <Points>
          <li>200 means confirmed on the chain. 202 means not known yet: send the same bytes again.</li>
          <li>
            The same bytes can land only once, so sending them again is safe at any time, after a lost connection too.
          </li>
          <li>
            Build anew only after an answer that says it did not happen: <C>transaction_expired</C>,{" "}
            <C>simulation_failed</C> or <C>transaction_failed</C>. Building anew while the outcome is unknown could pay
            twice.
          </li>
          <li>A transaction lives for 150 blocks, about half a minute. Sign and send right after building.</li>
        </Points>
        <Highlighted label="JavaScript, from SKILL.md">{workedFunction("execute")}</Highlighted>
      </Section>
      <Section id="rounding" title="Rounding and fees">
        <p>
          Dollars are whole micro-dollars and SOL is whole lamports. The fee is rounded down and the investment is the
          rest, so the parts always add up. A <C>multiplier</C> of 2 to 10 saves the change so many times, up to the
          ceiling. A purchase that already is a full step is skipped: nothing to sign, nothing to pay. A service wallet
          that does not exist yet first gets the smallest balance the chain allows (<C>activationLamports</C>). It stays
          your own money and comes back when you withdraw everything.
        </p>
      </Section>
    </>
  );
}
