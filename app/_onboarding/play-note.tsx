"use client";

import { useEffect, useRef, useState } from "react";
import { useSignedRequests } from "@/app/_client/wallet/approval";
import { Chevron } from "@/app/_components/chevron";
import { loadOnRender } from "@/app/_components/load-on-render";

const SigningRequestView = loadOnRender(() =>
  import("@/app/_client/wallet/signing-request-view").then((module) => module.SigningRequestView),
);

/** Lists what the demo wallet signed during the automatic set-up. */
export function PlayNote() {
  const signedRequests = useSignedRequests();
  const [isOpen, setIsOpen] = useState(false);
  const noteRef = useRef<HTMLDetailsElement>(null);
  // The page that held the focus is gone, so move the focus here. Its ring would draw the eye away from the next step.
  useEffect(() => {
    noteRef.current?.focus({ preventScroll: true });
  }, []);
  if (signedRequests.length === 0) return null;
  return (
    <details
      ref={noteRef}
      tabIndex={-1}
      onToggle={(event) => setIsOpen(event.currentTarget.open)}
      className="group mb-5 rounded-xl border border-accent/40 bg-accent-wash outline-none"
    >
      <summary className="flex min-h-12 list-none items-center justify-between gap-3 rounded-xl px-4 [&::-webkit-details-marker]:hidden">
        <span>
          <strong className="font-medium">You are set up.</strong> See what was signed
        </span>
        <Chevron className="group-open:rotate-180" />
      </summary>
      <p className="px-4 text-soft">
        First your sign-in, then two identical signatures, proving the key can be recreated. Your wallet calls the
        savings wallet “service wallet”.
      </p>
      <ol className="space-y-2 px-4 py-3">
        {isOpen &&
          signedRequests.map((request, i) => (
            <li key={i}>
              <SigningRequestView request={request} />
            </li>
          ))}
      </ol>
    </details>
  );
}
