/** The guides, in the order to read them. The slug is also the name of the guide's file in `../_guides`. */
export const GUIDES = [
  { slug: "authentication", title: "Signing in", lead: "A wallet signature, or an API key that a signature created." },
  {
    slug: "service-wallet",
    title: "The service wallet",
    lead: "A second key from your own signature, with test vectors.",
  },
  { slug: "the-loop", title: "The loop", lead: "The whole cycle, call by call: save, invest, sell, withdraw." },
  { slug: "sdk", title: "Install the SDK", lead: "Build the package, then save and invest in 20 lines." },
  { slug: "checkout", title: "Checkout", lead: "One transaction pays the shop and saves the change." },
  { slug: "backend", title: "Backend", lead: "Save for many customers without holding their keys." },
  { slug: "bot", title: "Bot", lead: "A program that saves and invests from its own wallet." },
  { slug: "any-language", title: "Any language", lead: "A round-up in Python, with HTTP and Ed25519 only." },
  { slug: "errors", title: "Errors", lead: "Every code, what it means and what to do." },
  { slug: "limits", title: "Limits", lead: "Rate limits, sizes and waiting times." },
  { slug: "sandbox", title: "The sandbox", lead: "A whole chain with play money on your own machine." },
  {
    slug: "agent",
    title: "An agent on its own",
    lead: "A command that watches a wallet, saves and invests within limits.",
  },
  { slug: "verifying", title: "Check before you sign", lead: "How to read a transaction that a server built." },
  { slug: "models", title: "Tools for a model", lead: "An MCP server that moves money only within your limits." },
  { slug: "changelog", title: "Versions and changes", lead: "What may change without notice, and what changed." },
];
