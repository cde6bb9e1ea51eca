import Link from "next/link";
import { HighlightedCode } from "@/app/docs/_components/highlighted-code";
import { BulletList, FileLink, Li, P, Section } from "@/app/docs/_components/prose";
import { readWorkedFunction } from "@/app/docs/_content/samples";

const STEPS = [
  ["Sign in", "get-auth-message", "GET /api/auth", "Sign the text once. Send the signature in two headers."],
  [
    "Make the service wallet",
    "derive-wallet",
    "POST /api/wallet/derive",
    "Once. You derive the key and send only the public key and a proof.",
  ],
  ["Get play money", "airdrop", "POST /api/sandbox/airdrop", "In the sandbox only."],
  [
    "Preview",
    "calculate-round-up",
    "POST /api/roundup",
    "Optional. Returns the change, the fee and the investment of one purchase.",
  ],
  ["Save", "build-wrap", "POST /api/wrap", "Builds two transfers: the saving and the fee. Sign with your wallet."],
  ["Send it", "execute-swap", "POST /api/swap/execute", "Submits a signed transaction and returns its outcome."],
  [
    "Wait for the minimum to invest",
    "get-accumulator",
    "GET /api/accumulator/{address}",
    "Returns whether the savings reach the minimum to invest (threshold), 5 dollars by default.",
  ],
  [
    "Invest",
    "build-swap",
    "POST /api/swap/build",
    "Builds one transaction per asset. Sign each with the service wallet and send it.",
  ],
  [
    "Look",
    "get-portfolio",
    "GET /api/portfolio/{address}",
    "Returns balances and values. Null means unknown, never 0.",
  ],
  [
    "Sell",
    "build-sale",
    "POST /api/swap/sell",
    "Builds a sale for SOL or USDC. Sign with the service wallet and send it.",
  ],
  [
    "Take it back",
    "build-withdraw",
    "POST /api/withdraw/build",
    "Builds transfers of everything or a part. Sign with the service wallet and send them in order.",
  ],
] as const;

export default function TheLoopGuide() {
  return (
    <>
      <P>
        A call reads data or builds an unsigned transaction. No money moves until you sign a transaction and send it.
        The script behind `npm run tour` makes all of these calls without an SDK.{" "}
        <FileLink href="/SKILL.md">SKILL.md</FileLink> has a shorter one.
      </P>
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
        <P>
          The API returns unsigned transactions in base64, with an empty slot for each signature. Write your signature
          into the slot of your key. Leave the other slots unchanged.
        </P>
        <HighlightedCode label="JavaScript, from SKILL.md">{readWorkedFunction("signTransaction")}</HighlightedCode>
      </Section>
      <Section id="outcome" title="Following the outcome">
        <BulletList>
          <Li>
            200 means that the chain has confirmed the transaction. 202 means that the outcome is not known yet: send
            the same bytes again.
          </Li>
          <Li>The same bytes can land only once. You can send them again at any time, also after a lost connection.</Li>
          <Li>
            Build a new transaction only after `transaction_expired`, `simulation_failed` or `transaction_failed`. If
            you build one while the outcome is unknown, you can pay twice.
          </Li>
          <Li>
            A transaction expires after 150 blocks. Sign and send it within its `unsigned.validForMs`, counted from your
            request. A wallet’s window that opens later asks for a signature in vain, so build again first.
          </Li>
        </BulletList>
        <HighlightedCode label="JavaScript, from SKILL.md">{readWorkedFunction("execute")}</HighlightedCode>
      </Section>
      <Section id="rounding" title="Rounding and fees">
        <P>
          The service computes in whole micro-dollars and whole lamports. It rounds the fee down. The investment is the
          rest, so the parts always add up. A `multiplier` of 2 to 10 multiplies the change, up to the ceiling. A
          purchase of a full step is skipped, and there is nothing to sign. The first saving also pays the rent-exempt
          minimum into a new service wallet (`activationLamports`). It remains your money, and you get it back when you
          withdraw everything.
        </P>
      </Section>
    </>
  );
}
