import Link from "next/link";
import { Highlighted } from "@/app/docs/_components/highlighted";
import { C, Code, Points, Section, Steps } from "@/app/docs/_components/prose";
import { SHELL_SIGN_IN, workedFunction } from "@/app/docs/_content/samples";
import { authText } from "@/lib/domain/texts";

export function Authentication() {
  return (
    <>
      <p>
        Your wallet is your identity. There is no account and no registration. A signature of the wallet proves that you
        own it. Prices, plans, balances and history need no credentials.
      </p>
      <Section id="signature" title="By wallet signature">
        <Steps>
          <li>
            <C>GET /api/auth</C> returns <C>message</C>, one fixed line of plain text that names this deployment: its
            origin, or <C>sandbox, play money</C>.
          </li>
          <li>Sign its UTF-8 bytes with your wallet (Ed25519).</li>
          <li>
            Send two headers with each protected request: <C>x-wallet</C>, the public key in base58, and{" "}
            <C>x-signature</C>, the signature in base64.
          </li>
        </Steps>
        <Code label="The text" wrap>
          {authText("<deployment>")}
        </Code>
        <Highlighted label="JavaScript, from SKILL.md">{workedFunction("signIn")}</Highlighted>
        <Highlighted label="Shell" wrap>
          {SHELL_SIGN_IN}
        </Highlighted>
        <p>
          The signature is a credential and stays valid until the text changes. Keep it out of logs and URLs, and send
          it over TLS only. It moves no money: every transfer needs its own signature.
        </p>
      </Section>
      <SignInWithSolana />
      <Section id="keys" title="By API key">
        <p>
          A program that runs for long should not hold a wallet signature. Make a key with{" "}
          <Link href="/docs#generate-key" className="text-accent underline underline-offset-4">
            POST /api/keys/generate
          </Link>{" "}
          and send it as <C>x-api-key</C>.
        </p>
        <Points>
          <li>The key is shown once. The service keeps only a digest of it.</li>
          <li>It expires after 90 days by default, and after 365 at most. A wallet has at most 10 live keys.</li>
          <li>A key cannot create, list or revoke keys. Only the wallet can.</li>
          <li>
            The operator of a deployment can also set static keys. They belong to no wallet, so calls that act for a
            wallet must name it. A static key can have its own rate limit.
          </li>
        </Points>
      </Section>
      <Section id="wrong" title="When credentials are wrong">
        <p>
          Missing credentials get 401 <C>credentials_missing</C>, and wrong ones 401 <C>credentials_invalid</C>. The
          text does not tell whether a key is unknown, expired, revoked or forged. Send one kind of credentials: every
          one that you send must be valid. Public calls ignore credentials.
        </p>
      </Section>
    </>
  );
}

function SignInWithSolana() {
  return (
    <Section id="sign-in-with-solana" title="By Sign In With Solana">
      <p>
        A wallet with the feature <C>solana:signIn</C> connects and signs in with one approval. It shows which page
        asks.
      </p>
      <Steps>
        <li>
          <C>GET /api/auth/nonce</C> returns <C>nonce</C> and <C>expiresAt</C>, 24 hours later. The service stores
          nothing.
        </li>
        <li>
          Call <C>signIn</C> of the wallet with your page’s <C>domain</C> and <C>uri</C>, <C>version</C> 1, the text of{" "}
          <C>GET /api/auth</C> as <C>statement</C>, the <C>nonce</C>, and as <C>chainId</C> <C>solana:mainnet</C>, or{" "}
          <C>solana:localnet</C> in a sandbox.
        </li>
        <li>
          Send the message that the wallet signed as <C>x-siws-message</C>, in base64, beside <C>x-wallet</C> and{" "}
          <C>x-signature</C>.
        </li>
      </Steps>
      <p>
        Such a sign-in ends at <C>expiresAt</C> at the latest. It creates API keys only within ten minutes of the nonce.
        On mainnet, domain and URI must be this deployment’s origin.
      </p>
    </Section>
  );
}
