"use client";

import { useEffect, useId, useRef, useState } from "react";
import { Button } from "@/app/_components/button";
import { Notice } from "@/app/_components/card";
import { CrashBoundary } from "@/app/_components/crash-boundary";
import { Field } from "@/app/_components/field";
import { useTask } from "@/app/_components/use-task";
import { AnswerView } from "./answer-view";
import { type ApiCall, buildAddress, type CallAnswer, parseJson, sendCall, toExampleValues } from "./call";
import { selectCredentials, useDocsSession } from "./docs-session";
import type { ConnectedWallet } from "./docs-wallet";
import { SignAssist } from "./sign-assist";

/** Opens on a click, or when a different console passes a transaction to it. */
export function TryIt({ call }: { call: ApiCall }) {
  const { passedTransaction } = useDocsSession();
  const [isOpen, setIsOpen] = useState(false);
  const id = useId();
  const containerRef = useRef<HTMLDivElement>(null);
  const receivedTransaction = call.id === "execute-transaction" ? passedTransaction : null;
  useEffect(() => {
    if (!receivedTransaction) return;
    setIsOpen(true);
    containerRef.current?.focus();
    containerRef.current?.scrollIntoView();
  }, [receivedTransaction]);
  return (
    <div ref={containerRef} tabIndex={-1} className="scroll-mt-4 outline-none">
      <Button
        variant={isOpen ? "quiet" : "secondary"}
        aria-expanded={isOpen}
        aria-controls={id}
        aria-label={`${isOpen ? "Close the console" : "Try it"}: ${call.method} ${call.path}`}
        onClick={() => setIsOpen(!isOpen)}
      >
        {isOpen ? "Close the console" : "Try it"}
      </Button>
      <div id={id}>
        {isOpen && (
          <CrashBoundary key={receivedTransaction?.atMs}>
            <Console call={call} transaction={receivedTransaction?.transaction ?? null} />
          </CrashBoundary>
        )}
      </div>
    </div>
  );
}

/** @param transaction unsigned, base64, for the body; null for the example body */
function Console({ call, transaction }: { call: ApiCall; transaction: string | null }) {
  const session = useDocsSession();
  const { connectedWallet } = session;
  const [typedValues, setTypedValues] = useState<Record<string, string>>({});
  const [typedBody, setTypedBody] = useState<string | null>(
    transaction && JSON.stringify({ signedTransaction: transaction }, null, 2),
  );
  const [answer, setAnswer] = useState<CallAnswer | null>(null);
  const [wasSentWithoutCredentials, setWasSentWithoutCredentials] = useState(false);

  // Fields that the person has not edited use the connected wallet's address.
  const shownValues = { ...toExampleValues(call), ...toConnectedAddress(call, connectedWallet), ...typedValues };
  const body =
    typedBody ?? (call.exampleBody && JSON.stringify(replaceWallets(call.exampleBody, connectedWallet), null, 2));
  const lacksParameter = call.parameters.some(({ path, required }) => required && !shownValues[path]?.trim());
  const credentials = selectCredentials(call.auth, session);

  const sending = useTask(async () => {
    try {
      setAnswer(await sendCall(call, buildAddress(call, shownValues), body, credentials));
      setWasSentWithoutCredentials(call.auth !== "none" && !credentials);
    } catch (failure) {
      // The next attempt must not show the answer to an earlier one.
      setAnswer(null);
      throw failure;
    }
  });

  return (
    <div className="mt-3 space-y-4 rounded-xl border border-line bg-page p-4">
      {call.auth !== "none" && call.auth !== "optional" && !credentials && (
        <CredentialsNotice call={call} askForWallet={session.askForWallet} />
      )}
      {call.parameters.map(({ path, required, type, limits }) => (
        <Field
          key={path}
          label={`${path}${required ? "" : " (optional)"}`}
          hint={[type, ...limits.filter((limit) => !limit.startsWith("matches"))].join(", ")}
          spellCheck={false}
          value={shownValues[path] ?? ""}
          onChange={(text) => setTypedValues({ ...typedValues, [path]: text })}
        />
      ))}
      {body !== null && <BodyField body={body} onBody={setTypedBody} />}
      <SignAssist call={call} body={body} onBody={setTypedBody} />
      <div className="flex flex-wrap gap-2">
        <Button isBusy={sending.isBusy} disabled={lacksParameter} onClick={sending.run}>
          Send
        </Button>
        {(typedBody !== null || Object.keys(typedValues).length > 0) && (
          <Button
            variant="quiet"
            onClick={() => {
              setTypedBody(null);
              setTypedValues({});
            }}
          >
            Start over
          </Button>
        )}
      </div>
      <div aria-live="polite">
        {sending.error !== null && (
          <Notice tone="warn" title="You seem to be offline">
            <p>The service cannot be reached. Check your connection and send it again.</p>
          </Notice>
        )}
      </div>
      {answer && (
        <>
          {answer.status === 401 && wasSentWithoutCredentials && !sending.isBusy && (
            <SentWithoutNotice auth={call.auth} />
          )}
          <AnswerView answer={answer} resend={sending.run} />
        </>
      )}
    </div>
  );
}

function BodyField({ body, onBody }: { body: string; onBody: (body: string) => void }) {
  const id = useId();
  const isInvalid = parseJson(body) === undefined;
  return (
    <div>
      <label htmlFor={id} className="mb-1.5 block text-sm font-medium">
        Body, JSON
      </label>
      <textarea
        id={id}
        value={body}
        rows={Math.min(14, body.split("\n").length + 1)}
        spellCheck={false}
        aria-invalid={isInvalid || undefined}
        aria-describedby={isInvalid ? `${id}-note` : undefined}
        onChange={(event) => onBody(event.target.value)}
        className={`block w-full rounded-xl border bg-card p-3 font-mono text-sm ${isInvalid ? "border-bad" : "border-line-strong"}`}
      />
      <p id={`${id}-note`} aria-live="polite" className="mt-1.5 text-sm text-bad empty:mt-0">
        {isInvalid && "This is not valid JSON. You can still send it and see what the service says."}
      </p>
    </div>
  );
}

function SentWithoutNotice({ auth }: Pick<ApiCall, "auth">) {
  return (
    <Notice
      role="alert"
      tone="warn"
      title={`It was sent without ${auth === "caller" ? "credentials" : "a wallet’s signature"}`}
    >
      <p>
        What is missing: the headers <code>x-wallet</code> and <code>x-signature</code>
        {auth === "caller" && (
          <>
            , or <code>x-api-key</code>
          </>
        )}
        . This page sends them once you have signed in
        {auth === "caller" && " or pasted a key"}.
      </p>
    </Notice>
  );
}

function CredentialsNotice({ call, askForWallet }: { call: ApiCall; askForWallet: () => void }) {
  return (
    <Notice
      title="This call needs to know who you are"
      action={
        <Button variant="secondary" onClick={askForWallet}>
          Connect and sign in
        </Button>
      }
    >
      <p>
        {call.auth === "caller"
          ? "Sign in with a wallet, or paste an API key at the top of this page."
          : "Sign in with a wallet. An API key is not enough here."}{" "}
        Sent without, it answers 401.
      </p>
    </Notice>
  );
}

/** Prefers the service wallet, which holds the savings, for a parameter `address`. */
function toConnectedAddress({ parameters }: ApiCall, connectedWallet: ConnectedWallet | null): Record<string, string> {
  const takesAddress = parameters.some(({ path }) => path === "address");
  return connectedWallet && takesAddress ? { address: connectedWallet.serviceWallet ?? connectedWallet.wallet } : {};
}

/** Puts the connected wallets in place of the example's. */
function replaceWallets(example: Record<string, unknown>, connected: ConnectedWallet | null): Record<string, unknown> {
  if (!connected) return example;
  const { wallet, serviceWallet } = connected;
  const addresses: Record<string, string | null> = {
    userPubkey: wallet,
    address: wallet,
    destination: wallet,
    serviceWalletPubkey: serviceWallet,
    publicKey: serviceWallet,
  };
  return Object.fromEntries(Object.entries(example).map(([name, value]) => [name, addresses[name] ?? value]));
}
