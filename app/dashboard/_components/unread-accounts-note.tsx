import type { Portfolio } from "@/app/_client/queries/queries";
import { Notice } from "@/app/_components/card";
import { ShortAddress } from "@/app/_components/short-address";

/** Lists token accounts that could not be read. No figure and no withdrawal includes them, so the person must know. */
export function UnreadAccountsNote({ accounts, className }: { accounts: Portfolio["leftOut"]; className?: string }) {
  if (accounts.length === 0) return null;
  return (
    <Notice testId="left-out" className={className} tone="warn" title="Some tokens could not be read">
      <p>They are where they were, but counted nowhere here. Everything else is complete and can leave as always.</p>
      <ul className="mt-1 list-disc pl-5">
        {accounts.map(({ account, reason }) => (
          <li key={`${account}:${reason}`}>
            {account && (
              <>
                Token account <ShortAddress text={account} />:{" "}
              </>
            )}
            {reason}
          </li>
        ))}
      </ul>
    </Notice>
  );
}
