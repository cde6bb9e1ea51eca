import { Fold } from "../_components/fold";

const STEPS = [
  ["Pay as always", "Every payment leaves some change."],
  ["Save it", "You see each part before you sign."],
  ["Own bitcoin", "From $5 on. Or take everything back, at any time."],
] as const;

const FACTS = [
  [
    "What does it cost?",
    "A share of the change, 0.25 to 1 percent by plan, never of the purchase. Solana’s own network fee comes on top. When you invest, the price of the swap is shown before you sign.",
  ],
  [
    "Who holds my money?",
    "You. Your wallet is your identity: no account, no password. Two short texts to sign make your second wallet, the savings wallet. Its key comes from your own signature, and the service neither keeps nor returns it.",
  ],
  [
    "What do I own in the end?",
    "SOL, swapped at your threshold into what you choose: BTC as Coinbase’s cbBTC token, ETH as Wormhole’s, USDC or USDT. A new wallet on Solana must hold a small amount to exist: you pay it into your own wallet, it is listed by itself, and it comes back when you withdraw everything.",
  ],
  [
    "What can I limit?",
    "A maximum per purchase, caps per day and month, an amount that must stay in your main wallet, and a pause. Nothing is ever taken without your signature.",
  ],
] as const;

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

const ALT =
  "The overview on a phone: the total, how it has changed, and this week’s change with the button that saves it.";

/** The picture in the page's colour scheme. The other picture is not loaded. */
export function LandingPicture() {
  return (
    <div className="mx-auto w-75 max-w-full overflow-hidden rounded-[2rem] border-8 border-line bg-card shadow-sm lg:mr-20">
      {(["light", "dark"] as const).map((scheme) => (
        <img
          key={scheme}
          src={`/dashboard-${scheme}.webp`}
          alt={ALT}
          width={390}
          height={900}
          loading="lazy"
          className={`only-${scheme} h-auto w-full`}
        />
      ))}
    </div>
  );
}

/** Common questions about trusting the service with money. */
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
