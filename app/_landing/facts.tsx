const STEPS = [
  [
    "Connect a wallet",
    "It is your identity: no account, no password. Two short texts to sign make your second wallet, the savings wallet. Its key comes from your own signature, and the service neither keeps nor returns it.",
  ],
  [
    "Save your change",
    "Type a purchase, or upload many. You see the change, the fee and every other part before your wallet asks you to sign.",
  ],
  [
    "Invest or take it back",
    "At your threshold, 5 dollars unless you change it, swap the savings: BTC as Coinbase’s cbBTC token, ETH as Wormhole’s. Or send everything back to your main wallet in one go.",
  ],
] as const;

const FACTS = [
  [
    "What it costs",
    "A share of the change, 0.25 to 1 percent by plan, never of the purchase. Solana’s own network fee comes on top. When you invest, the price of the swap is shown before you sign.",
  ],
  [
    "What is yours",
    "A new wallet on Solana must hold a small amount to exist. You pay it into your own wallet the first time, it is listed by itself, and it comes back when you withdraw everything.",
  ],
  [
    "What you can limit",
    "A maximum per purchase, caps per day and month, an amount that must stay in your main wallet, and a pause. Nothing is ever taken without your signature.",
  ],
] as const;

/** The three steps, and what people ask before they trust such a service with money. */
export function LandingFacts() {
  return (
    <>
      <ol className="grid gap-6 md:grid-cols-3">
        {STEPS.map(([title, text], i) => (
          <li key={title}>
            <span
              aria-hidden="true"
              className="mb-3 grid size-9 place-items-center rounded-full bg-accent-wash font-semibold text-accent"
            >
              {i + 1}
            </span>
            <h3 className="text-lg font-semibold">{title}</h3>
            <p className="mt-1 text-soft">{text}</p>
          </li>
        ))}
      </ol>
      <dl className="mt-10 grid gap-4 md:grid-cols-3">
        {FACTS.map(([title, text]) => (
          <div key={title} className="rounded-2xl border border-line bg-card p-5">
            <dt className="font-semibold">{title}</dt>
            <dd className="mt-1 text-soft">{text}</dd>
          </div>
        ))}
      </dl>
    </>
  );
}
