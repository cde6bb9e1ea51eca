"use client";

import { useState } from "react";
import { Button } from "@/app/_components/button";
import { Field } from "@/app/_components/field";
import { ShortAddress } from "@/app/_components/short-address";
import { useDocsSession } from "./docs-session";

export function CredentialsBar() {
  const { connectedWallet, apiKey, setApiKey, askForWallet } = useDocsSession();
  const [isKeyFieldOpen, setIsKeyFieldOpen] = useState(false);
  return (
    <section aria-label="Credentials for trying calls" className="rounded-xl border border-line bg-card p-4">
      <div className="flex flex-wrap items-center justify-between gap-3">
        {connectedWallet?.credentials ? (
          <p aria-live="polite">
            Calls are signed in as <ShortAddress text={connectedWallet.wallet} />
            {connectedWallet.serviceWallet && (
              <>
                , savings wallet <ShortAddress text={connectedWallet.serviceWallet} />
              </>
            )}
            .
          </p>
        ) : (
          <p className="max-w-xl">
            Each call below can be tried here, on this deployment. Protected ones need a signed-in wallet or an API key.
          </p>
        )}
        <div className="flex flex-wrap gap-2">
          {connectedWallet?.credentials ? (
            <Button variant="secondary" onClick={() => void connectedWallet.signOut()}>
              Sign out
            </Button>
          ) : (
            <Button onClick={askForWallet}>Connect and sign in</Button>
          )}
          <Button variant="secondary" aria-expanded={isKeyFieldOpen} onClick={() => setIsKeyFieldOpen(!isKeyFieldOpen)}>
            Use an API key
          </Button>
        </div>
      </div>
      {isKeyFieldOpen && (
        <Field
          className="mt-4 max-w-xl"
          label="API key"
          type="password"
          spellCheck={false}
          placeholder="ru_…"
          value={apiKey}
          hint="Kept on this page only, until you reload it. It goes first where keys are taken."
          onChange={setApiKey}
        />
      )}
    </section>
  );
}
