import { Highlighted, Shell } from "@/app/docs/_components/highlighted";
import { Code, DocsLink, InlineCode, Points, Section, Steps } from "@/app/docs/_components/prose";
import { readWorkedFunction, SHELL_SIGN_IN } from "@/app/docs/_content/samples";
import { createAuthText } from "@/lib/domain/texts";

export function AuthenticationGuide() {
  return (
    <>
      <p>
        Your wallet is your identity. There is no account and no registration. A signature of the wallet proves that you
        own it. Prices, plans, balances and history need no credentials.
      </p>
      <Section id="signature" title="By wallet signature">
        <Steps>
          <li>
            <InlineCode>GET /api/auth</InlineCode> returns <InlineCode>message</InlineCode>, one fixed line of plain
            text that names this deployment: its origin, or <InlineCode>sandbox, play money</InlineCode>.
          </li>
          <li>Sign its UTF-8 bytes with your wallet (Ed25519).</li>
          <li>
            Send two headers with each protected request: <InlineCode>x-wallet</InlineCode>, the public key in base58,
            and <InlineCode>x-signature</InlineCode>, the signature in base64.
          </li>
        </Steps>
        <Code label="The text" wrap>
          {createAuthText("<deployment>")}
        </Code>
        <Highlighted label="JavaScript, from SKILL.md">{readWorkedFunction("signIn")}</Highlighted>
        <Shell>{SHELL_SIGN_IN}</Shell>
        <p>
          The signature is a credential and stays valid until the text changes. Keep it out of logs and URLs, and send
          it over TLS only. It moves no money: every transfer needs its own signature.
        </p>
      </Section>
      <SignInWithSolana />
      <Section id="keys" title="By API key">
        <p>
          A program that runs for long should not hold a wallet signature. Make a key with{" "}
          <DocsLink href="/docs#generate-key">POST /api/keys/generate</DocsLink> and send it as{" "}
          <InlineCode>x-api-key</InlineCode>.
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
          Missing credentials get 401 <InlineCode>credentials_missing</InlineCode>, and wrong ones 401{" "}
          <InlineCode>credentials_invalid</InlineCode>. The text does not tell whether a key is unknown, expired,
          revoked or forged. Send one kind of credentials: every one that you send must be valid. Public calls ignore
          credentials.
        </p>
      </Section>
    </>
  );
}

function SignInWithSolana() {
  return (
    <Section id="sign-in-with-solana" title="By Sign In With Solana">
      <p>
        A wallet with the feature <InlineCode>solana:signIn</InlineCode> connects and signs in with one approval. It
        shows which page asks.
      </p>
      <Steps>
        <li>
          <InlineCode>GET /api/auth/nonce</InlineCode> returns <InlineCode>nonce</InlineCode> and{" "}
          <InlineCode>expiresAt</InlineCode>, 24 hours later. The service stores nothing.
        </li>
        <li>
          Call <InlineCode>signIn</InlineCode> of the wallet with your page’s <InlineCode>domain</InlineCode> and{" "}
          <InlineCode>uri</InlineCode>, <InlineCode>version</InlineCode> 1, the text of{" "}
          <InlineCode>GET /api/auth</InlineCode> as <InlineCode>statement</InlineCode>, the{" "}
          <InlineCode>nonce</InlineCode>, and as <InlineCode>chainId</InlineCode>{" "}
          <InlineCode>solana:mainnet</InlineCode>, or <InlineCode>solana:localnet</InlineCode> in a sandbox.
        </li>
        <li>
          Send the message that the wallet signed as <InlineCode>x-siws-message</InlineCode>, in base64, beside{" "}
          <InlineCode>x-wallet</InlineCode> and <InlineCode>x-signature</InlineCode>.
        </li>
      </Steps>
      <p>
        Such a sign-in ends at <InlineCode>expiresAt</InlineCode> at the latest. It creates API keys only within ten
        minutes of the nonce. On mainnet, domain and URI must be this deployment’s origin.
      </p>
    </Section>
  );
}
