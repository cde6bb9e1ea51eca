import type { LinkElement } from "./site-header";

/** Addresses and names of files and answers for programs. */
const FILES = [
  ["/api/openapi.json", "OpenAPI"],
  ["/llms.txt", "llms.txt"],
  ["/SKILL.md", "SKILL.md"],
  ["/api/health", "API health"],
] as const;

const LINK_CLASSES = "inline-flex min-h-11 items-center underline-offset-4 hover:text-ink hover:underline";

/** Draws the links for people and programs. Files and API responses are plain links, because they are not pages. */
export function SiteFooter({ DocsLink }: { DocsLink: LinkElement }) {
  return (
    <footer className="border-t border-line">
      <nav aria-label="More" className="mx-auto flex max-w-6xl flex-wrap gap-x-6 px-4 py-4 text-soft sm:px-6">
        <DocsLink href="/docs" className={LINK_CLASSES}>
          API reference
        </DocsLink>
        {FILES.map(([href, label]) => (
          <a key={href} href={href} className={LINK_CLASSES}>
            {label}
          </a>
        ))}
      </nav>
    </footer>
  );
}
