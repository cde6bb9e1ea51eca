import type { ReactNode } from "react";

const FACTS = [
  ["Nothing is paid", "The set-up takes three signatures: one to sign in, and two to make your savings wallet."],
  ["Your savings wallet is yours", "Its key comes from your signature. You can make it again anywhere, without us."],
  ["You see each amount first", "Every payment is shown and checked before your wallet signs it."],
  ["You can always leave", "Withdraw everything at any time."],
] as const;

/** Shows the set-up. A wide screen shows what it means beside it. */
export function SetupLayout({ children }: { children: ReactNode }) {
  return (
    <div className="mx-auto grid max-w-2xl gap-10 lg:max-w-none lg:grid-cols-[3fr_2fr] lg:gap-16">
      <div className="min-w-0">{children}</div>
      <aside aria-label="What the set-up means" className="self-start rounded-2xl bg-raised p-7 max-lg:hidden">
        <dl className="space-y-5">
          {FACTS.map(([title, text]) => (
            <div key={title}>
              <dt className="font-medium">{title}</dt>
              <dd className="mt-0.5 text-soft">{text}</dd>
            </div>
          ))}
        </dl>
      </aside>
    </div>
  );
}
