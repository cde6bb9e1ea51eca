import type { ReactNode } from "react";
import { Fold } from "../_components/fold";

const STEPS = [
  ["Pay as always", "Every payment leaves some change."],
  ["Save it", "You see each amount before you sign."],
  ["Own bitcoin", "Once you have $5. Or withdraw everything at any time."],
] as const;

const FACTS: readonly [title: string, text: ReactNode][] = [
  [
    "Is this real money?",
    <>
      <span className="only-sandbox">No. This is a sandbox: every coin here is play money.</span>
      <span className="only-mainnet">Yes. You save real SOL on Solana.</span>
    </>,
  ],
  [
    "What can go wrong?",
    "BTC and ETH can fall, so you can lose money. If you lose the key of your main wallet, nobody can recover your savings. BTC is Coinbase’s cbBTC token: its value depends on Coinbase.",
  ],
  [
    "Which payments count?",
    "Payments that your wallet makes on Solana. You can also type a purchase or open a list from your bank. You choose which change to save.",
  ],
  [
    "What does it cost?",
    "A $27.63 purchase leaves $0.37 of change on the Forest plan. The service fee is 0.25 percent of the change, here less than one cent. Solana’s network fee is less than one cent too. Before you buy BTC, you see the price and all costs. Solana’s account deposits are returned when you withdraw everything.",
  ],
  [
    "Who can touch it?",
    "Only you. Your own signature creates the key of your savings wallet. The key never leaves your browser, and nothing is taken without your signature. You can set limits per payment, day and month.",
  ],
  [
    "Where is the source?",
    <>
      It is not public. The guide shows{" "}
      <a href="/docs/verifying" className="text-accent underline underline-offset-2">
        every check before you sign
      </a>
      , with code that you can run.
    </>,
  ],
];

export function LandingSteps() {
  return (
    <ol className="grid gap-8">
      {STEPS.map(([title, text], i) => (
        <li key={title} className="flex gap-4">
          <span
            aria-hidden="true"
            className="grid size-10 shrink-0 place-items-center rounded-full bg-accent-wash font-semibold text-accent"
          >
            {i + 1}
          </span>
          <div>
            <h3 className="text-xl font-semibold">{title}</h3>
            <p className="mt-0.5 text-lg text-soft">{text}</p>
          </div>
        </li>
      ))}
    </ol>
  );
}

export function LandingFacts() {
  return (
    <div className="grid gap-x-10 md:grid-cols-2">
      {FACTS.map(([title, text]) => (
        <Fold key={title} title={title} className="pb-2">
          <p className="py-3 text-soft">{text}</p>
        </Fold>
      ))}
    </div>
  );
}
